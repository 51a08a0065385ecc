// The activities that the workers register.
import type { PaymentDependencies } from './dependencies';
import { createIntentActivities } from './intents';
import { createPayoutActivities } from './payout';
import { createClosingActivities } from './closing';
import { createRefundActivities } from './refund';
import { createResolutionActivities } from './resolution';
import { createRestoreActivities } from './restores';

export { createWebhookActivities, createWebhookSend, type WebhookActivities } from './webhooks';

/** Activities of the queues `payments` and `payouts-<corridor>`; `webhooks` has its own. */
export function createPaymentActivities(dependencies: PaymentDependencies) {
  return {
    ...createIntentActivities(dependencies),
    ...createPayoutActivities(dependencies),
    ...createClosingActivities(dependencies),
    ...createRefundActivities(dependencies),
    ...createResolutionActivities(dependencies),
    ...createRestoreActivities(dependencies),
  };
}

export type PaymentActivities = ReturnType<typeof createPaymentActivities>;
