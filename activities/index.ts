// What the workers register, merged from the files beside this one.
import type { FundsAccount } from '../src/ports/funds-account';
import { createFundsActivities, type FundsActivities } from './funds';
import { createIntentActivities, type IntentActivities, type IntentDependencies } from './intents';
import {
  createPayoutHoldActivities,
  type PayoutHoldActivities,
  type PayoutHoldDependencies,
} from './payout-hold';
import {
  createLostCommitsActivities,
  type LostCommitsActivities,
  type LostCommitsDependencies,
} from './lost-commits';
import { createPayoutActivities, type PayoutActivities, type PayoutDependencies } from './payout';
import {
  createResolutionActivities,
  type ResolutionActivities,
  type ResolutionDependencies,
} from './resolution';

import {
  createRestoreActivities,
  type RestoreActivities,
  type RestoreDependencies,
} from './restore-watch';

export { createWebhookActivities, type WebhookActivities } from './webhooks';
export { createWebhookSend } from './webhook-attempt';

export interface PaymentDependencies
  extends
    IntentDependencies,
    LostCommitsDependencies,
    PayoutDependencies,
    PayoutHoldDependencies,
    ResolutionDependencies,
    RestoreDependencies {
  readonly funds: FundsAccount;
}

/** The activities of the queue `payments`; the queue `webhooks` has its own. */
export type PaymentActivities = IntentActivities &
  FundsActivities &
  LostCommitsActivities &
  PayoutActivities &
  PayoutHoldActivities &
  ResolutionActivities &
  RestoreActivities;

export function createPaymentActivities(dependencies: PaymentDependencies): PaymentActivities {
  return {
    ...createIntentActivities(dependencies),
    ...createFundsActivities(dependencies.funds),
    ...createLostCommitsActivities(dependencies),
    ...createPayoutActivities(dependencies),
    ...createPayoutHoldActivities(dependencies),
    ...createResolutionActivities(dependencies),
    ...createRestoreActivities(dependencies),
  };
}
