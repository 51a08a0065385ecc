// Bounds how many webhooks one process sends to one endpoint at a time, so that a slow endpoint delays no other.
import type { PartnerId } from './ids';

export interface EndpointSlots {
  /**
   * Takes up to so many slots of the partner's endpoint, and returns how many. It never waits.
   * @param inUseMax takes none beyond so many in use
   */
  take(partnerId: PartnerId, wanted: number, inUseMax?: number): number;
  release(partnerId: PartnerId, count: number): void;
}

/** @param limit slots of each endpoint */
export function createEndpointSlots(limit: number): EndpointSlots {
  const taken = new Map<PartnerId, number>();
  return {
    take(partnerId, wanted, inUseMax = limit) {
      const before = taken.get(partnerId) ?? 0;
      const got = Math.max(0, Math.min(wanted, Math.min(limit, inUseMax) - before));
      if (got > 0) taken.set(partnerId, before + got);
      return got;
    },
    release(partnerId, count) {
      const left = (taken.get(partnerId) ?? 0) - count;
      if (left > 0) taken.set(partnerId, left);
      else taken.delete(partnerId);
    },
  };
}
