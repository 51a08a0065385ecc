// The workflow's activities with their timeouts, retries and summaries, in one place (architecture, section 3,
// "Legibility and budget").
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { PaymentActivities, WebhookActivities } from '../activities';
import type { IntentEvent } from '../src/domain/intents/transitions';
import { PAYOUT_ATTEMPT_MAX_SECONDS, WEBHOOK_ACTIVITY_MAX_SECONDS } from '../src/domain/limits';
import { WEBHOOKS_QUEUE } from './messages/messages';

/**
 * Writes to our own Postgres: short, local to the workflow's worker, repeated until they succeed. One statement ends
 * within the start-to-close timeout; a transition that waits for a lock first may outlive it, and its repeat reports `same`.
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
export const { reportRow } = onPostgres('Report that Postgres lost commits');
export const { tickRestoreWatch } = onPostgres('Compare Postgres and Temporal');
export const { stopPayouts } = onPostgres('Stop all payouts');

/** Of `recordTransition`, which its callers name by the event. */
export const TRANSITION_SUMMARIES: Readonly<Record<IntentEvent, string>> = {
  authorize: 'Authorize and debit',
  expire: 'Expire',
  cancel: 'Cancel',
  capture: 'Capture',
  fail: 'Fail and release the debit',
  refund: 'Refund',
};

/** Where another debit held the account's balance while the authorize was written. It waits for its turn. */
export const { debitHoldingAccount } = onPostgres('Debit');

/**
 * The first attempt, local to the task that authorizes the payment. It is never repeated: what it leaves undecided, or whatever
 * became of it, the regular activity queries the provider about.
 */
export const { payOutAtOnce } = proxyLocalActivities<PaymentActivities>({
  summary: 'Pay out and capture',
  startToCloseTimeout: '5 s',
  retry: { maximumAttempts: 1 },
});

/** Every call of an attempt is aborted before this timeout, never by it. */
const PAYOUT_ATTEMPT = `${String(PAYOUT_ATTEMPT_MAX_SECONDS)} s` as const;

export const { payOut } = proxyActivities<PaymentActivities>({
  activityId: 'payout',
  summary: 'Query, pay out and capture',
  startToCloseTimeout: PAYOUT_ATTEMPT,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '10 s' },
});

/** Before a debit is given back whose payout may have been sent although nobody remembers. */
export const { isKnownUnpaid } = proxyActivities<PaymentActivities>({
  summary: 'Query the provider for the payout',
  startToCloseTimeout: PAYOUT_ATTEMPT,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '10 s' },
});

/** Once operations know: asked slowly, for as long as it takes. Retries of one activity add nothing to the history. */
export const { payOut: payOutSlowly } = proxyActivities<PaymentActivities>({
  // Ended at once when operations are judged; an attempt that is under way is waited out by the judge.
  cancellationType: 'TRY_CANCEL',
  summary: 'Query the provider slowly; it needs attention',
  startToCloseTimeout: PAYOUT_ATTEMPT,
  retry: { initialInterval: '10 s', backoffCoefficient: 2, maximumInterval: '60 s' },
});

/** Whether operations may declare the payout to be what they say: waits out a sending that may be under way. */
export const { verifyResolution } = proxyActivities<PaymentActivities>({
  summary: 'Verify the manual resolution',
  startToCloseTimeout: PAYOUT_ATTEMPT,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '10 s' },
});

/**
 * For a day, ever more slowly: a payment that was frozen on its way may land late. The activity knows when the day is over;
 * the timeout is for one that never gets to say so, and what is owed by then the reconciler takes up again from the row.
 */
export const { recheckResolution } = proxyActivities<PaymentActivities>({
  activityId: 'resolved-compared',
  summary: 'Reconcile the end with the provider',
  startToCloseTimeout: PAYOUT_ATTEMPT,
  scheduleToCloseTimeout: '26 hours',
  retry: { initialInterval: '1 m', backoffCoefficient: 2, maximumInterval: '1 h' },
});

/**
 * The first attempt at a fast endpoint, local to the task that captures. It has one attempt: what it leaves undelivered, the regular
 * activity goes on with.
 */
export const { deliverWebhookAtOnce } = proxyLocalActivities<WebhookActivities>({
  summary: 'Send the webhook',
  startToCloseTimeout: `${String(WEBHOOK_ACTIVITY_MAX_SECONDS)} s`,
  retry: { maximumAttempts: 1 },
});

/**
 * Ended by the attempts recorded in Postgres; the delays come with each failure (decision 19).
 */
export const { deliverWebhook } = proxyActivities<WebhookActivities>({
  activityId: 'webhook',
  taskQueue: WEBHOOKS_QUEUE,
  summary: 'Send the webhook',
  startToCloseTimeout: `${String(WEBHOOK_ACTIVITY_MAX_SECONDS)} s`,
  scheduleToCloseTimeout: '7 days',
  retry: { initialInterval: '5 s', backoffCoefficient: 2, maximumInterval: '10 m' },
});
