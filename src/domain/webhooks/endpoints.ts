// What one worker process knows of each webhook endpoint: its slots in use, and whether it answers
// fast.
import type { PartnerId } from '../ids';
import { WEBHOOK_FAST_ANSWERS_MIN, WEBHOOK_FAST_WITHIN_MS } from '../limits';

/** Bounds the simultaneous webhooks to one endpoint: a slow endpoint delays no other. */
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

export interface EndpointSpeeds {
  /** @param isDelivered whether it was answered 2xx */
  record(partnerId: PartnerId, durationMs: number, isDelivered: boolean): void;
  /** Whether its last answers, enough of them in a row, were all fast. */
  isFast(partnerId: PartnerId): boolean;
}

export function createEndpointSpeeds(): EndpointSpeeds {
  const fastInARow = new Map<PartnerId, number>();
  return {
    record(partnerId, durationMs, isDelivered) {
      if (isDelivered && durationMs <= WEBHOOK_FAST_WITHIN_MS) {
        fastInARow.set(partnerId, (fastInARow.get(partnerId) ?? 0) + 1);
      } else fastInARow.delete(partnerId);
    },
    isFast: (partnerId) => (fastInARow.get(partnerId) ?? 0) >= WEBHOOK_FAST_ANSWERS_MIN,
  };
}
