// What the workers register, merged from the files beside this one.
import type { FundsAccount } from '../src/ports/funds-account';
import type { IntentStore } from '../src/ports/intent-store';
import { createFundsActivities, type FundsActivities } from './funds';
import { createIntentActivities, type IntentActivities } from './intents';
import { createPayoutActivities, type PayoutActivities, type PayoutDependencies } from './payout';

export { createWebhookActivities, type WebhookActivities } from './webhooks';

export interface PaymentDependencies extends PayoutDependencies {
  readonly intents: IntentStore;
  readonly funds: FundsAccount;
}

/** The activities of the queue `payments`; the queue `webhooks` has its own. */
export type PaymentActivities = IntentActivities & FundsActivities & PayoutActivities;

export function createPaymentActivities(dependencies: PaymentDependencies): PaymentActivities {
  return {
    ...createIntentActivities(dependencies.intents),
    ...createFundsActivities(dependencies.funds),
    ...createPayoutActivities(dependencies),
  };
}
