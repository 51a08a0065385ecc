// The activities of all workflows, with their timeouts, retries and summaries (architecture,
// section 3, "Legibility and budget").
import {
  proxyActivities,
  proxyLocalActivities,
  type ActivityInterfaceFor,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { PaymentActivities, WebhookActivities } from '../activities';
import type { Corridor } from '../src/corridors/names';
import type { IntentEvent } from '../src/domain/intents/transitions';
import { WEBHOOK_ACTIVITY_MAX_SECONDS } from '../src/domain/limits';
import {
  PAYOUT_AT_ONCE_MAX_SECONDS,
  PAYOUT_ATTEMPT_MAX_SECONDS,
  PAYOUT_DENIAL_MAX_SECONDS,
  PAYOUT_DELAYED_MAX_SECONDS,
} from '../src/domain/payouts/limits';
import { payoutsQueue, WEBHOOKS_QUEUE } from './messages/messages';

/**
 * Local activities on our own Postgres, repeated until they succeed. One statement fits into the
 * timeout. A transition that waits for a lock may take longer; its repeat then reports `same`.
 */
const onPostgres = (summary: string) =>
  proxyLocalActivities<PaymentActivities>({
    summary,
    startToCloseTimeout: '2 s',
    retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '2 s' },
  });

export const { recordTransition } = onPostgres('Write the status');
export const { readCurrentState } = onPostgres('Read the row');
export const { setAttention } = onPostgres('Record why it needs attention');
export const { reportMissingRow } = onPostgres('Report the missing row');
export const { permitClosing } = onPostgres('Close by an operator');
export const { reportRow } = onPostgres('Report that Postgres lost commits');
export const { tickRestoreWatch } = onPostgres('Compare Postgres and Temporal');
export const { stopPayouts } = onPostgres('Stop all payouts');

/** Summaries of `recordTransition`, by event. */
export const TRANSITION_SUMMARIES: Readonly<Record<IntentEvent, string>> = {
  authorize: 'Authorize and debit',
  expire: 'Expire',
  cancel: 'Cancel',
  capture: 'Capture',
  fail: 'Fail and release the debit',
  refund: 'Refund',
};

/**
 * Used when the authorize could not debit because another debit had locked the balance. This one
 * waits.
 */
export const { debitHoldingAccount } = onPostgres('Debit');

/**
 * The first attempt, local to the task that authorizes the payment. It is never retried: if its
 * outcome is open or lost, the regular activity queries the provider.
 */
export const { payOutAtOnce } = proxyLocalActivities<PaymentActivities>({
  summary: 'Pay out and capture',
  startToCloseTimeout: `${String(PAYOUT_AT_ONCE_MAX_SECONDS)} s`,
  retry: { maximumAttempts: 1 },
});

/**
 * A call to the provider, on the queue of its corridor. Every call of an attempt is aborted before
 * the timeout, never by it.
 */
function onProvider<Payout extends { readonly corridor: Corridor }, Result>(
  stepOf: (steps: ActivityInterfaceFor<PaymentActivities>) => (payout: Payout) => Promise<Result>,
  options: ActivityOptions,
) {
  return (payout: Payout): Promise<Result> => {
    const steps = proxyActivities<PaymentActivities>({
      startToCloseTimeout: `${String(PAYOUT_ATTEMPT_MAX_SECONDS)} s`,
      retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '10 s' },
      ...options,
      taskQueue: payoutsQueue(payout.corridor),
    });
    return stepOf(steps)(payout);
  };
}

export const payOut = onProvider((steps) => steps.payOut, {
  activityId: 'payout',
  summary: 'Query, pay out and capture',
  // It may be delayed before its attempt begins.
  startToCloseTimeout: `${String(PAYOUT_DELAYED_MAX_SECONDS + PAYOUT_ATTEMPT_MAX_SECONDS)} s`,
});

/** Used before a debit is released whose payout may have been sent without a row that says so. */
export const isKnownUnpaid = onProvider((steps) => steps.isKnownUnpaid, {
  startToCloseTimeout: `${String(PAYOUT_DENIAL_MAX_SECONDS)} s`,
  summary: 'Query the provider for the payout',
});

/**
 * Used once attention is raised, without a limit: retries of one activity add no history events.
 */
export const payOutSlowly = onProvider((steps) => steps.payOut, {
  // Cancelled at once when an operator resolves the payout; the verification waits for a running
  // attempt.
  cancellationType: 'TRY_CANCEL',
  summary: 'Query the provider slowly; it needs attention',
  retry: { initialInterval: '10 s', backoffCoefficient: 2, maximumInterval: '60 s' },
});

/**
 * Verifies a manual resolution. Retried while an earlier request to the provider may be on its way.
 */
export const verifyResolution = onProvider((steps) => steps.verifyResolution, {
  startToCloseTimeout: `${String(PAYOUT_DENIAL_MAX_SECONDS)} s`,
  summary: 'Verify the manual resolution',
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '10 s' },
});

/** Queries once, within the time that `payctl` waits: a silent provider stops no refund. */
export const hasMoneyReturned = onProvider((steps) => steps.hasMoneyReturned, {
  summary: 'Query whether the money came back',
  scheduleToCloseTimeout: '8 s',
  retry: { maximumAttempts: 1 },
});

/**
 * Rechecks for a day with growing delays, because a delayed request may still arrive. The activity
 * decides when the day is over. The timeout covers an activity that cannot; then the workflow
 * repairer starts the recheck again from its row.
 */
export const recheckResolution = onProvider((steps) => steps.recheckResolution, {
  activityId: 'recheck',
  summary: 'Recheck the resolution with the provider',
  scheduleToCloseTimeout: '26 hours',
  retry: { initialInterval: '1 m', backoffCoefficient: 2, maximumInterval: '1 h' },
});

/**
 * The first attempt at a fast endpoint, local to the task that captures. It is never retried: the
 * regular activity delivers what it does not.
 */
export const { deliverWebhookAtOnce } = proxyLocalActivities<WebhookActivities>({
  summary: 'Send the webhook',
  startToCloseTimeout: `${String(WEBHOOK_ACTIVITY_MAX_SECONDS)} s`,
  retry: { maximumAttempts: 1 },
});

/**
 * The attempts recorded in Postgres end it, and each failure carries its delay (decision 19).
 */
export const { deliverWebhook } = proxyActivities<WebhookActivities>({
  activityId: 'webhook',
  taskQueue: WEBHOOKS_QUEUE,
  summary: 'Send the webhook',
  startToCloseTimeout: `${String(WEBHOOK_ACTIVITY_MAX_SECONDS)} s`,
  scheduleToCloseTimeout: '7 days',
  retry: { initialInterval: '5 s', backoffCoefficient: 2, maximumInterval: '10 m' },
});
