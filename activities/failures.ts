// Will this failure be retried? The one list of what activities throw on purpose.
// Everything else they throw, such as Postgres being away, is retried by the policy the workflow names.
import { ApplicationFailure } from '@temporalio/common';
import type { RowMissing } from '../src/domain/errors';

/** Names are part of histories and of the UI; keep them. */
const FAILURE_TYPES = {
  payoutUnknown: 'PayoutUnknown',
  payoutPending: 'PayoutPending',
  payoutUnderWay: 'PayoutUnderWay',
  payoutsStopped: 'PayoutsStopped',
  rowMissing: 'RowMissing',
  webhookRefused: 'WebhookRefused',
  webhookUnderWay: 'WebhookUnderWay',
  webhookQueued: 'WebhookQueued',
} as const;

/** The provider may have executed it: asked again by key, while patience lasts (decision 105). */
export function payoutUnknown(cause: string): ApplicationFailure {
  return ApplicationFailure.create({ type: FAILURE_TYPES.payoutUnknown, message: cause });
}

/** Nothing may be sent (decision 127): tried again, for as long as it takes. */
export function payoutsStopped(): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.payoutsStopped,
    message: 'payouts are stopped: "payctl payouts show" says since when and why',
  });
}

/** There is no row: the workflow decides what that means, and repeats by itself. */
export function rowMissing(cause: RowMissing): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.rowMissing,
    message: cause.message,
    nonRetryable: true,
  });
}

/** The provider is working on it: asked again. */
export function payoutPending(cause: string): ApplicationFailure {
  return ApplicationFailure.create({ type: FAILURE_TYPES.payoutPending, message: cause });
}

/** A sending may still be under way: judged again when it cannot be any longer. */
export function payoutUnderWay(waitMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.payoutUnderWay,
    message: 'a sending may still be under way',
    nextRetryDelay: waitMs,
  });
}

/** The partner's endpoint did not take the event: sent again after `retryInMs`. */
export function webhookRefused(why: string, retryInMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.webhookRefused,
    message: why,
    nextRetryDelay: retryInMs,
  });
}

/** Another hand sends the event: looked at again soon, when it has ended or can be taken over. */
export function webhookUnderWay(waitMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.webhookUnderWay,
    message: 'another worker is sending it',
    nextRetryDelay: waitMs,
  });
}

/** As many webhooks as may be are under way from this worker to its endpoint: the poller sends it as soon as one has ended. */
export function webhookQueued(waitMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.webhookQueued,
    message:
      'as many webhooks as may be are under way to this endpoint; it is sent when one has ended',
    nextRetryDelay: waitMs,
  });
}
