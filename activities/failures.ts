// Will this failure be retried? The one list of what activities throw on purpose.
// Everything else they throw, such as Postgres being away, is retried by the policy the workflow names.
import { ApplicationFailure, type ApplicationFailureOptions } from '@temporalio/common';
import type { RowMissing } from '../src/domain/errors';

/** Names are part of histories and of the UI; keep them. */
type FailureType =
  | ('PayoutUnknown' | 'PayoutPending' | 'PayoutUnderWay' | 'PayoutsStopped' | 'RowMissing')
  | ('WebhookRefused' | 'WebhookUnderWay' | 'WebhookQueued');

function failure(type: FailureType, message: string, options: ApplicationFailureOptions = {}) {
  return ApplicationFailure.create({ type, message, ...options });
}

/** The provider may have executed it: asked again by key, while timeout lasts (decision 105). */
export const payoutUnknown = (cause: string) => failure('PayoutUnknown', cause);

/** The provider is working on it: asked again. */
export const payoutPending = (cause: string) => failure('PayoutPending', cause);

/** A sending may still be under way: judged again when it cannot be any longer. */
export const payoutUnderWay = (waitMs: number) =>
  failure('PayoutUnderWay', 'a sending may still be under way', { nextRetryDelay: waitMs });

/** Nothing may be sent (decision 127): tried again, for as long as it takes. */
export const payoutsStopped = () =>
  failure('PayoutsStopped', 'payouts are stopped: "payctl payouts show" says since when and why');

/** There is no row: the workflow decides what that means, and repeats by itself. */
export const rowMissing = (cause: RowMissing) =>
  failure('RowMissing', cause.message, { nonRetryable: true });

/** The partner's endpoint did not take the event: sent again after `retryInMs`. */
export const webhookRejected = (why: string, retryInMs: number) =>
  failure('WebhookRefused', why, { nextRetryDelay: retryInMs });

/** Another hand sends the event: looked at again soon, when it has ended or can be taken over. */
export const webhookUnderWay = (waitMs: number) =>
  failure('WebhookUnderWay', 'another worker is sending it', { nextRetryDelay: waitMs });

/** As many webhooks as may be are under way from this worker to its endpoint: the poller sends it as soon as one has ended. */
export const webhookQueued = (waitMs: number) =>
  failure(
    'WebhookQueued',
    'as many webhooks as may be are under way to this endpoint; it is sent when one has ended',
    { nextRetryDelay: waitMs },
  );
