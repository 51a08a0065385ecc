// All failures that activities throw on purpose, and whether Temporal retries each.
// Any other error, such as an unreachable Postgres, is retried by the policy in workflows/steps.ts.
import { ApplicationFailure, type ApplicationFailureOptions } from '@temporalio/common';
import type { RowMissing } from '../src/domain/errors';

/** These names are stored in histories and shown in the Temporal UI. */
type FailureType =
  | ('PayoutUnknown' | 'PayoutPending' | 'PayoutUnderWay' | 'PayoutDelayed')
  | ('PayoutsStopped' | 'RowMissing')
  | ('WebhookRejected' | 'WebhookUnderWay' | 'WebhookQueued');

function failure(type: FailureType, message: string, options: ApplicationFailureOptions = {}) {
  return ApplicationFailure.create({ type, message, ...options });
}

/** The provider may have executed the payout. The retry queries it by key (decision 105). */
export const payoutUnknown = (cause: string) => failure('PayoutUnknown', cause);

/** The provider has not decided yet. The retry queries it again. */
export const payoutPending = (cause: string) => failure('PayoutPending', cause);

/**
 * An earlier request may still reach the provider. The retry comes when it can no longer arrive.
 */
export const payoutUnderWay = (waitMs: number) =>
  failure('PayoutUnderWay', 'a sending may still be under way', { nextRetryDelay: waitMs });

/** Nothing was sent: the provider leaves all orders of its corridor without an answer. */
export const payoutDelayed = () =>
  failure('PayoutDelayed', 'not sent: the provider has left the last orders without an answer');

/** All payouts are stopped (decision 127). Retried until they are allowed again. */
export const payoutsStopped = () =>
  failure('PayoutsStopped', 'payouts are stopped: "payctl payouts show" says since when and why');

/** Not retried: the workflow decides what a missing row means, and repeats the step itself. */
export const rowMissing = (cause: RowMissing) =>
  failure('RowMissing', cause.message, { nonRetryable: true });

/** The endpoint did not accept the event. It is sent again after `retryInMs`. */
export const webhookRejected = (why: string, retryInMs: number) =>
  failure('WebhookRejected', why, { nextRetryDelay: retryInMs });

/**
 * Another worker holds the event's lease. By the retry it has usually finished.
 */
export const webhookUnderWay = (waitMs: number) =>
  failure('WebhookUnderWay', 'another worker is sending it', { nextRetryDelay: waitMs });

/**
 * All slots of the endpoint are in use on this worker. The poller sends the event when one is free.
 */
export const webhookQueued = (waitMs: number) =>
  failure(
    'WebhookQueued',
    'all slots of this endpoint are in use; the event is sent when one is free',
    { nextRetryDelay: waitMs },
  );
