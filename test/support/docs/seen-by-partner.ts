// What a partner sees of each magic amount. The guide's table shows it, and test:guide compares it
// with the running sandbox.
import type { IntentStatus } from '../../../src/domain/intents/payment-intent';
import type { WebhookEventType } from '../../../src/domain/webhooks/event';
import type { Scenario } from '../../../src/sandbox/scenarios';

interface SeenByPartner {
  /** From the confirm on. `authorized` is among them only where it lasts for seconds. */
  readonly statuses: readonly IntentStatus[];
  /** Null where the intent stays `authorized`. */
  readonly webhook: WebhookEventType | null;
}

export function seenByPartner(scenario: Scenario): SeenByPartner {
  const last = lastStatus(scenario);
  if (last === 'authorized') return { statuses: [last], webhook: null };
  return {
    statuses: isSlow(scenario) ? ['authorized', last] : [last],
    webhook: `payment_intent.${last}`,
  };
}

function lastStatus({ funds, decision, reportedExtraCents }: Scenario) {
  if (funds === 'insufficient' || decision === 'declined') return 'failed';
  return decision === 'never' || reportedExtraCents !== 0 ? 'authorized' : 'captured';
}

function isSlow({ faults, pendingMs, answersPost }: Scenario): boolean {
  return faults.length > 0 || pendingMs > 0 || !answersPost;
}
