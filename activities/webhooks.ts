// Delivers a webhook event by the schedule of decision 19. The attempts that were recorded count, not Temporal's counter, which
// also counts attempts that were lost with a worker (architecture, section 3).
import type { EventId, PartnerId } from '../src/domain/ids';
import type { EndpointSlots } from '../src/domain/endpoint-slots';
import type { WebhookStore } from '../src/ports/webhook-store';
import { sendWebhook, type AttemptDependencies } from './webhook-attempt';
import { throwFull, throwNotClaimed, throwRefused } from './webhook-waits';

export interface WebhookActivities {
  /**
   * Ends when the event is delivered, given up or skipped.
   * @throws WebhookRefused, WebhookUnderWay or WebhookQueued, each with the delay until the next try
   */
  deliverWebhook(eventId: EventId, partnerId: PartnerId): Promise<void>;
}

export interface WebhookDependencies extends AttemptDependencies {
  readonly store: WebhookStore;
  readonly slots: EndpointSlots;
}

export function createWebhookActivities(dependencies: WebhookDependencies): WebhookActivities {
  const { store, slots, random } = dependencies;
  return {
    async deliverWebhook(eventId, partnerId) {
      if (slots.take(partnerId, 1) === 0) {
        await store.leaveToPoller(eventId);
        return throwFull(random());
      }
      try {
        const claim = await store.claim(eventId);
        if (claim.outcome === 'done') return;
        if (claim.outcome !== 'claimed') return throwNotClaimed(claim);
        const { attempt, isDisabled } = await sendWebhook(dependencies, claim.event);
        // The events of a disabled endpoint are skipped.
        if (attempt.result === 'retry' && !isDisabled) throwRefused(claim.event, attempt);
      } finally {
        slots.release(partnerId, 1);
      }
    },
  };
}
