// The state machine as data (protocol 2.3). Migration 0002 holds the same edges; a test compares
// them.
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

/** The status that `event` leads to, or undefined if the table has no such edge. */
export function nextStatus(from: IntentStatus, event: IntentEvent): IntentStatus | undefined {
  return INTENT_TRANSITIONS.find((edge) => edge.from === from && edge.event === event)?.to;
}

/** Whether the table leads from one status to the other over any number of edges, also none. */
export function isReachable(from: IntentStatus, to: IntentStatus): boolean {
  return (
    from === to || INTENT_TRANSITIONS.some((edge) => edge.from === from && isReachable(edge.to, to))
  );
}

interface AttemptedStep {
  /** The workflow's status before the step. */
  readonly from: IntentStatus;
  /** The status that the step should lead to. */
  readonly target: IntentStatus;
  /** The row's status after it. */
  readonly row: IntentStatus;
}

/**
 * Rule R1: whether the workflow may adopt the row's status. It adopts the target and every status
 * beyond it. From `created` it adopts any later status, because it has moved no money yet. Any
 * other status of an authorized payment contradicts the workflow and needs attention.
 */
export function canAdopt({ from, target, row }: AttemptedStep): boolean {
  return isReachable(target, row) || (from === 'created' && isReachable(from, row));
}

/** Whether the payment is finished. A refund of a captured one is a workflow of its own. */
export function isSettled(status: IntentStatus): boolean {
  return status !== 'created' && status !== 'authorized';
}

/** Parses a status from outside, such as a database column. @throws Error if it is none */
export function parseIntentStatus(text: string): IntentStatus {
  const status = INTENT_STATUSES.find((known) => known === text);
  if (status === undefined) throw new Error(`not an intent status: ${text}`);
  return status;
}
