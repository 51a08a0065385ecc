// The phases of a payment's workflow. A phase queues the requests that it accepts: message handlers
// add a request and wait, and the main coroutine answers it.
import type { IntentStatus } from '../src/domain/intents/payment-intent';
import type { TokenUse } from '../src/domain/intents/transition';
import type { Resolution } from './messages/messages';

export interface PendingConfirm {
  readonly kind: 'confirm';
  readonly token?: TokenUse;
  /** Set if an operator confirms instead of the payer. */
  readonly operator?: { readonly actor: string; readonly reason: string };
  isAnswered: boolean;
  /** This confirm authorized the intent, so its caller may wait for the outcome. */
  isAuthorizer: boolean;
}

export interface PendingCancel {
  readonly kind: 'cancel';
  isAnswered: boolean;
}

export interface PendingResolution {
  readonly kind: 'resolution';
  readonly resolution: Resolution;
  /** Undefined until it is answered, null if it was written, else why it was not, in a sentence. */
  rejection: string | null | undefined;
}

/** Created: the payer may confirm and the partner may cancel, in the order of their requests. */
export interface Waiting {
  readonly name: 'waiting';
  readonly requests: (PendingConfirm | PendingCancel)[];
}

/** All payouts are stopped, and this one has not begun. */
export interface Delayed {
  readonly name: 'delayed';
  readonly cancels: PendingCancel[];
  readonly resolutions: PendingResolution[];
}

export type Phase =
  | Waiting
  /** Authorized; the payout has not begun. */
  | { readonly name: 'debiting'; readonly cancels: PendingCancel[] }
  /** The payout may have been sent, so the payment cannot be cancelled. */
  | { readonly name: 'paying' }
  /** The payout needs attention: operators may resolve it manually. */
  | { readonly name: 'watching'; readonly resolutions: PendingResolution[] }
  | Delayed
  | { readonly name: 'settled' };

/** A workflow may be started for a row that is authorized or settled already. */
export function firstPhase(status: IntentStatus): Phase {
  if (status === 'created') return { name: 'waiting', requests: [] };
  return status === 'authorized' ? { name: 'debiting', cancels: [] } : { name: 'settled' };
}

/** Enters a phase. Open requests that the next phase does not take over are answered. */
export function enter<Next extends Phase>(payment: { phase: Phase }, next: Next): Next {
  const previous = payment.phase;
  payment.phase = next;
  const takenOver = pendingOf(next);
  for (const request of pendingOf(previous)) {
    if (takenOver.includes(request)) continue;
    if (request.kind !== 'resolution') request.isAnswered = true;
    else request.rejection ??= next.name === 'settled' ? ALREADY_SETTLED : NOT_NOW;
  }
  return next;
}

function pendingOf(phase: Phase): readonly (PendingConfirm | PendingCancel | PendingResolution)[] {
  switch (phase.name) {
    case 'waiting':
      return phase.requests;
    case 'debiting':
      return phase.cancels;
    case 'watching':
      return phase.resolutions;
    case 'delayed':
      return [...phase.cancels, ...phase.resolutions];
    case 'paying':
    case 'settled':
      return [];
  }
}

/** Why an operator's resolution is rejected. */
export const ALREADY_SETTLED = 'The payout has been decided already.';
export const NOT_NOW =
  'The payment does not wait for operations at this moment. Repeat the command.';
