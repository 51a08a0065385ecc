// Which endpoints have answered fast lately, as one worker process has measured.
import type { PartnerId } from '../ids';
import { WEBHOOK_FAST_ANSWERS_MIN, WEBHOOK_FAST_WITHIN_MS } from '../limits';

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
