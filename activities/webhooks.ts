// Delivers a webhook event by the schedule of decision 19, and takes others of its endpoint along that wait there. The
// attempts that were recorded count, not Temporal's counter, which also counts attempts lost with a worker
// (architecture, section 3).
import type { EventId } from '../src/domain/ids';
import { attemptOnce } from './webhook-attempt';
import { recordAndHelp, type HelpDependencies } from './webhook-help';
import { throwNotClaimed, throwRefused } from './webhook-waits';

export interface WebhookActivities {
  /**
   * Ends when nothing is owed any more. @throws WebhookRefused, WebhookUnderWay or WebhookQueued, each with the delay
   * until it is looked at again
   */
  deliverWebhook(eventId: EventId): Promise<void>;
}

export function createWebhookActivities(dependencies: HelpDependencies): WebhookActivities {
  return {
    async deliverWebhook(eventId) {
      const claim = await dependencies.store.claim(eventId);
      if (claim.outcome === 'done') return;
      if (claim.outcome !== 'claimed') return throwNotClaimed(claim, dependencies.random());
      const { holding, event } = claim;
      const own = await attemptOnce(dependencies, holding, event);
      const { isDisabled } = await recordAndHelp(dependencies, holding, own);
      // What its endpoint will not be sent is missed, and not owed any more.
      if (own.result === 'retry' && !isDisabled) throwRefused(own);
    },
  };
}
