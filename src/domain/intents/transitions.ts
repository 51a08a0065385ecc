// The state machine as data (protocol 2.3). On the way of a payment `nextStatus`
// reads it for one edge and `isReachable` for what lies beyond; the database holds the same edges (migration 0002), and a test
// compares the two.
import { INTENT_STATUSES, type IntentStatus } from './payment-intent';

export const INTENT_EVENTS = [
  'authorize',
  'expire',
  'cancel',
  'capture',
  'fail',
  'refund',
] as const;

export type IntentEvent = (typeof INTENT_EVENTS)[number];

interface Transition {
  readonly from: IntentStatus;
  readonly event: IntentEvent;
  readonly to: IntentStatus;
}

export const INTENT_TRANSITIONS: readonly Transition[] = [
  { from: 'created', event: 'authorize', to: 'authorized' },
  { from: 'created', event: 'expire', to: 'expired' },
  { from: 'created', event: 'cancel', to: 'cancelled' },
  { from: 'authorized', event: 'capture', to: 'captured' },
  { from: 'authorized', event: 'fail', to: 'failed' },
  { from: 'authorized', event: 'cancel', to: 'cancelled' },
  { from: 'captured', event: 'refund', to: 'refunded' },
];

/** The status that `event` leads to from `from`, or undefined where the table has no such edge. */
export function nextStatus(from: IntentStatus, event: IntentEvent): IntentStatus | undefined {
  return INTENT_TRANSITIONS.find((edge) => edge.from === from && edge.event === event)?.to;
}

/** Whether the table leads from one status to the other, over any number of edges, none included. */
export function isReachable(from: IntentStatus, to: IntentStatus): boolean {
  return (
    from === to || INTENT_TRANSITIONS.some((edge) => edge.from === from && isReachable(edge.to, to))
  );
}

interface Comparison {
  /** What the run believed the row to be. */
  readonly from: IntentStatus;
  /** What it wanted the row to become. */
  readonly target: IntentStatus;
  /** What the row is. */
  readonly row: IntentStatus;
}

/**
 * Rule R1: whether a run may take over the status that its row turned out to have. The target itself and whatever lies
 * beyond it, always. From `created` any later status too, since no money has moved for this run; but an authorized
 * payment whose row ended in another way than this run knows it to end is contrary, and for people to judge.
 */
export function canAdopt({ from, target, row }: Comparison): boolean {
  return isReachable(target, row) || (from === 'created' && isReachable(from, row));
}

/** Whether a payment in this status has come to its end; a refund of a captured one is a story of its own. */
export function isSettled(status: IntentStatus): boolean {
  return status !== 'created' && status !== 'authorized';
}

/** Narrows text from outside, such as a database column, to a status. */
export function parseIntentStatus(text: string): IntentStatus {
  const status = INTENT_STATUSES.find((known) => known === text);
  if (status === undefined) throw new Error(`not an intent status: ${text}`);
  return status;
}
