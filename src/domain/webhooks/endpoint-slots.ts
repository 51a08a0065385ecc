// Bounds the simultaneous webhooks of a process to one endpoint: a slow endpoint delays no other.
import type { PartnerId } from '../ids';

export interface EndpointSlots {
  /**
   * Takes a slot of the partner's endpoint, or returns false. It never waits.
   * @param inUseMax takes no slot if this many are in use
   */
  take(partnerId: PartnerId, inUseMax?: number): boolean;
  release(partnerId: PartnerId): void;
}

/** @param limit slots of each endpoint */
export function createEndpointSlots(limit: number): EndpointSlots {
  const inUse = new Map<PartnerId, number>();
  return {
    take(partnerId, inUseMax = limit) {
      const count = inUse.get(partnerId) ?? 0;
      if (count >= Math.min(limit, inUseMax)) return false;
      inUse.set(partnerId, count + 1);
      return true;
    },
    release(partnerId) {
      inUse.set(partnerId, (inUse.get(partnerId) ?? 1) - 1);
    },
  };
}
