// One step of an intent along the transition table: the command, and the row's report (rule R1).
import type { Corridor } from '../../corridors/names';
import type { ManualResolution } from './manual-resolution';
import type { EventId, IntentId, PartnerId } from '../ids';
import type { IntentEvent } from './transitions';
import type { UsdCents } from '../money';
import type { IntentStatus } from './payment-intent';

export interface TransitionCommand {
  readonly intentId: IntentId;
  /** The status the row must have: the compare of compare and set. */
  readonly from: IntentStatus;
  readonly event: IntentEvent;
  /** `payer`, `partner`, `system` or an operator's name. */
  readonly actor: string;
  readonly reason?: string | undefined;
  /** Stored in the audit trail, so that a caller can see whether its own request moved the row. */
  readonly requestId?: string | undefined;
  /**
   * For a manual `capture` or `fail`, or a `cancel` after a query: schedules a recheck in the same
   * commit.
   */
  readonly resolvedAs?: ManualResolution | undefined;
  /** `authorize` only: the token that authorizes, spent in the same transaction. */
  readonly token?: TokenUse | undefined;
  /**
   * `authorize` only: the amount to debit in the same transaction, if that needs no wait for a
   * lock. `isDebited` reports whether it was.
   */
  readonly debitUsdCents?: UsdCents | undefined;
  /** `authorize` only: a larger amount is not authorized. Set by the worker, by its settings. */
  readonly maximumUsdCents?: number | undefined;
  /** The workflow's terms. A row with other terms is another payment: nothing moves. */
  readonly terms?: PaymentTerms | undefined;
  /**
   * For an end without a payout: the query whose answer, in the row, must say that nothing was
   * paid. Undefined: the row decides whether the provider must be queried.
   */
  readonly queryId?: string | undefined;
}

/**
 * The id of no query, which no row can hold: the first task was repeated, and the attempt before
 * may have sent an order. The worker ignores it where a task sends none.
 */
export const FIRST_TASK_REPEATED = 'first task repeated';

/** Identifies a payment beside its id: a create with the same idempotency key repeats the id. */
export interface PaymentTerms {
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

/**
 * The use of a session token. `unanswered`: it authorized its intent, but no request has answered
 * 200 for it yet. `elsewhere`: it was used for another intent.
 */
export type TokenState = 'unused' | 'unanswered' | 'answered' | 'elsewhere';

/** The stored part of a session token; never the token itself. */
export interface TokenUse {
  readonly partnerId: PartnerId;
  /** Lowercase hex SHA-256 of the `jti`. */
  readonly jtiHash: string;
  /**
   * The token's `exp` in milliseconds since 1970. After it the token authorizes nothing (decision
   * 6).
   */
  readonly expiresAtMs: number;
  /**
   * A scanned code came with the token. The token authorizes nothing without it, and Postgres may
   * have lost it (decision 20).
   */
  readonly hasQrPayload?: boolean;
}

/** The reason of a payment that failed because the holding account had too little for its debit. */
export const INSUFFICIENT_FUNDS = 'insufficient_funds';

/** The reason of a refund that books money that came back, with what the operator wrote. */
export function returnedReason(reason: string | null): string {
  return reason === null ? 'returned' : `returned: ${reason}`;
}

export interface IntentCurrentState {
  readonly status: IntentStatus;
  /**
   * The webhook event of that status; null if the partner wants none, or its endpoint is disabled.
   */
  readonly eventId: EventId | null;
}

export interface RowState extends IntentCurrentState {
  /**
   * Authorized and debited, with the terms that were compared, and its workflow is not gone: a
   * payout may be attempted.
   */
  readonly isPayable: boolean;
  /** As `isPayable`, but Postgres has lost the debit. */
  readonly isDebitLost: boolean;
  /** Attention `workflow_gone` is open: another workflow than this one knows the outcome. */
  readonly isWorkflowGone: boolean;
}

/**
 * The row's report (rule R1). Only `did` moved it. `did`: this call moved the row. `same`: it had
 * the target status already. `other`: it has another. `not_due`: too early to expire.
 * `not_allowed`: the token is spent or expired, its scanned code is lost, operators may not
 * confirm this intent, or the limit of the partner's day is reached.
 * `stopped`: nothing expires and nothing is cancelled during a stop for a restore. `not_queried`:
 * our rows hold no answer of the provider and no manual resolution that permits the step, so the
 * provider must be queried, perhaps again (decision 145). `other_payment`: the row has other terms.
 */
export interface TransitionReport extends IntentCurrentState {
  readonly outcome:
    | ('did' | 'same' | 'other' | 'not_due' | 'not_allowed')
    | ('stopped' | 'not_queried' | 'other_payment');
  /** With `not_due`: milliseconds until the deadline, by the database's clock. */
  readonly dueInMs: number;
  /** With `other_payment`: the row's terms. */
  readonly terms?: PaymentTerms;
  /** True if this call made the debit too. Otherwise the debit is open: the workflow must debit. */
  readonly isDebited?: boolean;
}
