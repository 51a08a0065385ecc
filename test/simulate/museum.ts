// Schedules of documented failures of other systems, by their names in docs/museum.md.
import type { Script } from './run/choices';

export const MUSEUM: Readonly<Record<string, Script>> = {
  'A crash between the payment and its record': {
    'the worker, where provider.pay ends #1': 'the worker dies',
  },
  'The record is written after the transfer': {
    'the worker, where record-first-sending ends #1': 'the worker dies',
  },
  'A timeout is taken for "not paid"': { 'the provider': 'pays and is silent for 2 min' },
  'A manual retry deletes the record of the sending': {
    'the provider': 'pays and is silent for 2 min',
    'the worker, where payOut ends #3': 'an operator resumes',
  },
  'A worker takes over a stale lock and pays again': {
    'the worker, where provider.pay begins #1': 'the worker freezes for 90 s',
  },
  'A new idempotency key for each request': { 'provider.pay #1': 'its answer is lost' },
  'A lost answer gets a fresh attempt under a fresh key': {
    'provider.pay #1': 'its answer is lost',
    'provider.find #1': 'its answer is lost',
  },
  'Approved, and never enqueued': {
    'the worker, where transition: created authorize ends #1': 'the worker dies',
  },
  'A retry reuses a debit that was given back': {
    'the provider': 'declines',
    'the worker, where a workflow task ends #2': 'an operator resets the workflow',
  },
  'Two refunds at once exceed the payment': { 'the story': 'it is confirmed, and refunded twice' },
  'A refund is paid again while the first one waits': {
    'the story': 'it is confirmed, and refunded twice',
    'Temporal: update refund #1': 'its answer is lost',
  },
  'A late failure downgrades a paid order': {
    'the worker, where payOutAtOnce ends #1': 'an operator resolves a paid payout as declined',
  },
  'A cancelled order is paid late': {
    'the worker, where provider.pay ends #1': 'the partner cancels',
  },
  'A success is dropped because the order was cancelled': {
    'the worker, where record-first-sending ends #1': 'the partner cancels',
  },
  'Cancelled and completed at once': { 'the story': 'it is confirmed twice, and cancelled' },
  'A cleanup job writes an old status over a new one': {
    'the worker, where recordTransition begins #1': 'the worker freezes for 20 s',
  },
  'Expired while its confirmation was on the way': {
    'the story': 'it is confirmed at its deadline',
  },
  'The browser and the webhook both complete the order': {
    'the worker, where payOutAtOnce begins #1': 'the payer confirms with the same token',
  },
  'A webhook is credited twice': { 'endpoint.post #1': 'its answer is lost' },
  'A worker dies between a delivery and its record': {
    'the worker, where endpoint.post ends #1': 'the worker dies',
  },
  'An idempotency key that is accepted and ignored': {
    'statement create-intent #1': 'it commits and its answer is lost',
  },
  'Charged after "payment failed"': { 'Temporal: update confirm #1': 'its answer is lost' },
  'A random id in workflow code': {
    'the worker, where a workflow task ends #2': 'the worker dies',
  },
};

/** How a payment ends by these schedules. By the others it is captured. */
export const ENDS: Readonly<Record<string, string>> = {
  'A retry reuses a debit that was given back': 'authorized → failed, by system',
  'Two refunds at once exceed the payment': 'captured → refunded, by operator-1',
  'A refund is paid again while the first one waits': 'captured → refunded, by operator-1',
  'Cancelled and completed at once': 'created → cancelled, by partner',
};
