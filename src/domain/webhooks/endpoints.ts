// What one worker process knows of each webhook endpoint: its slots in use, and whether it answers
// fast.
import type { PartnerId } from '../ids';
import { WEBHOOK_FAST_ANSWERS_MIN, WEBHOOK_FAST_WITHIN_MS } from '../limits';

export type EndpointSlots = ReturnType<typeof createEndpointSlots>;

/**
 * Bounds the simultaneous webhooks to one endpoint: a slow endpoint delays no other.
 * @param limit slots of each endpoint
 */
export function createEndpointSlots(limit: number) {
  const inUse = new Map<PartnerId, number>();
  return {
    /**
     * Takes a slot of the partner's endpoint, or returns false. It never waits.
     * @param inUseMax takes no slot if this many are in use
     */
    take(partnerId: PartnerId, inUseMax = limit): boolean {
      const count = inUse.get(partnerId) ?? 0;
      if (count >= Math.min(limit, inUseMax)) return false;
      inUse.set(partnerId, count + 1);
      return true;
    },
    release(partnerId: PartnerId): void {
      inUse.set(partnerId, (inUse.get(partnerId) ?? 1) - 1);
    },
  };
}

export type EndpointSpeeds = ReturnType<typeof createEndpointSpeeds>;

export function createEndpointSpeeds() {
  const fastInARow = new Map<PartnerId, number>();
  return {
    /** @param isDelivered whether it was answered 2xx */
    record(partnerId: PartnerId, durationMs: number, isDelivered: boolean): void {
      if (isDelivered && durationMs <= WEBHOOK_FAST_WITHIN_MS) {
        fastInARow.set(partnerId, (fastInARow.get(partnerId) ?? 0) + 1);
      } else fastInARow.delete(partnerId);
    },
    /** Whether its last answers, enough of them in a row, were all fast. */
    isFast: (partnerId: PartnerId) => (fastInARow.get(partnerId) ?? 0) >= WEBHOOK_FAST_ANSWERS_MIN,
  };
}
