// Records of payout attempts, the payout lock and the pending rechecks, over Postgres.
import type { Corridor } from '../corridors/names';
import type { IntentId } from '../domain/ids';
import type { Resolution, ManualResolution } from '../domain/intents/manual-resolution';
import type { PaymentTerms } from '../domain/intents/transition';
import type { PaymentIntent } from '../domain/intents/payment-intent';
import type { Cost, LocalAmount } from '../domain/money';
import type { FailureCode, PayoutRecord } from '../domain/payouts/permissions';
import type { QueryAnswer } from './payout-provider';

// Records of payout attempts: the provider is queried before a payout that may have been sent is
// sent again (architecture, section 3).

/** The workflow's terms of the payment. A row with other terms is another payment: no payout. */
export type PayoutTerms = Pick<PaymentTerms, 'amountUsdCents' | 'corridor'>;

/** What the first request fixes for every later request and query (decision 151). */
export interface OrderTerms {
  /** The account at the provider; null before the first request. */
  readonly account: string | null;
  /** What the payee must get; null where the order is in cents. */
  readonly local: LocalAmount | null;
  /** The provider's own id of the payment, once an answer has named it. */
  readonly reference: string | null;
}

/** What a request fixes, if it is the first. */
export interface NewTerms {
  readonly account: string;
  readonly maxCostUsdCents: number;
  /** Seconds until it is queried whether the money came back; null for never. */
  readonly askAfterSeconds: number | null;
}

export interface PayoutSending {
  /** The scanned code that the intent was authorized with; null if there was none. Never log it. */
  readonly qrPayload: string | null;
  /** Identifies the payer among those of all partners. Never log it. */
  readonly payer: string;
  readonly order: OrderTerms;
  /**
   * What the order repeats of the quote; null without one, and where the quote was of another
   * account or had expired at the first request.
   */
  readonly token: string | null;
}

/**
 * `not_payable`: the row allows no payout. `locked`: an operator's decision is being verified
 * ({@link PayoutLock}); try again. `stopped`: payouts are stopped, and this one has not begun.
 * `delayed`: it has not begun, and the caller lets none begin.
 */
export type PayoutAttempt =
  BegunAttempt | { readonly kind: 'not_payable' | 'locked' | 'stopped' | 'delayed' };

export interface BegunAttempt extends PayoutSending {
  readonly kind: 'begun';
  /** Number of this attempt, from 1. */
  readonly number: number;
  /** Whether no request can have been made before, so that the order needs no query. */
  readonly isFirst: boolean;
  readonly record: PayoutRecord;
  /**
   * Milliseconds since the first attempt, by the database's clock. An unknown payout needs
   * attention by this.
   */
  readonly sinceFirstMs: number;
}

/**
 * Only an `authorized` and debited intent is payable. Each request is recorded before a byte
 * leaves.
 */
export interface PayoutJournal {
  /**
   * Records the first request, which needs no query. Returns undefined and records nothing if there
   * was an attempt before, the debit is older than 2 s, payouts are stopped, or Postgres may have
   * lost an attempt.
   */
  recordFirstSending(
    intentId: IntentId,
    terms: PayoutTerms,
    fixed: NewTerms,
  ): Promise<PayoutSending | undefined>;
  /**
   * Records an attempt, which must query first unless it `isFirst`. A payout that has begun before
   * may go on during a stop, and where no other may begin.
   */
  beginAttempt(intentId: IntentId, terms: PayoutTerms, mayBegin: boolean): Promise<PayoutAttempt>;
  /**
   * Records a request that the provider's answer to this attempt permits. Returns undefined and
   * records nothing if another attempt has begun since, an earlier request may still be on its way,
   * the provider has accepted, declined or for good refused the payout before, payouts are stopped,
   * this one is locked, or the first request went to another account.
   * @param number of the attempt
   */
  recordSending(
    intentId: IntentId,
    number: number,
    terms: PayoutTerms,
    fixed: NewTerms,
  ): Promise<PayoutSending | undefined>;
  /** The terms of a payout, for a query without an attempt. */
  readOrder(intentId: IntentId): Promise<OrderTerms>;
  /**
   * Records the provider's answer to an attempt, unless another has begun since; for good that the
   * provider has the payout; and since when it declines, until it accepts.
   * @param number of the attempt
   */
  recordAnswer(intentId: IntentId, number: number, answer: RecordedAnswer): Promise<void>;
  /** Records that the provider has refused the newest request. Called once a request. */
  recordRefusal(intentId: IntentId, code: FailureCode): Promise<void>;
  /** Records that the provider's answer to this query says that nothing was paid. */
  recordUnpaid(intentId: IntentId, queryId: string): Promise<void>;
}

/**
 * `paid` permits the capture, `unpaid` the release of the debit, and no other answer either.
 * `amount_mismatch`: paid in another amount than was ordered.
 */
export type PayoutAnswer =
  'paid' | 'unpaid' | 'declined' | 'pending' | 'duplicate' | 'returned' | 'amount_mismatch';

/** What the provider says of the payment; null where it does not say. */
export interface PayoutDetails {
  readonly reference: string | null;
  readonly local: LocalAmount | null;
  readonly cost: Cost | null;
  readonly bankReference: string | null;
  /** Why it was declined or refused. */
  readonly code: FailureCode | null;
}

export interface RecordedAnswer extends PayoutDetails {
  readonly answer: PayoutAnswer;
  readonly isDeclined: boolean;
  /**
   * A check of ours forbids the first request. Recorded only where the row has no request and can
   * have forgotten none.
   */
  readonly isUnsent: boolean;
}

type LockAnswer =
  /** `attempts`: by then; a verification holds only while it is the same. */
  | { readonly outcome: 'locked'; readonly attempts: number; readonly record: PayoutRecord }
  /** For `inMs` an earlier request may still be on its way. */
  | { readonly outcome: 'too_soon'; readonly inMs: number };

/**
 * Locks a payout while an operator's decision is verified (architecture, section 3, "Settlement"):
 * nothing may be sent between the last query to the provider and the write of the decision.
 */
export interface PayoutLock {
  /** Locks for a minute: no attempt begins. Does not lock while a request may be on its way. */
  lock(intentId: IntentId): Promise<LockAnswer>;
  /** @param isAccepted records for good that the provider has the payout */
  unlock(intentId: IntentId, isAccepted: boolean): Promise<void>;
  /**
   * Records that the provider's answer permits a resolution as declined while the payout has this
   * number of attempts. Does nothing for a resolution that `payctl` has not recorded.
   */
  recordVerified(
    intentId: IntentId,
    verified: { readonly resolution: Resolution; readonly attempts: number },
  ): Promise<void>;
}

// Pending rechecks: for a day a manual resolution is checked against the provider's later answers
// (architecture, section 3, "Settlement"). The transition that resolves a payment writes its row.

export interface PendingRecheck extends Pick<
  PaymentIntent,
  'intentId' | 'partnerId' | 'amountUsdCents' | 'corridor'
> {
  readonly resolvedAs: ManualResolution;
}

export interface PayoutRechecks {
  /** Claims up to `limit` rechecks whose workflow may be gone, each once per lease. */
  claimDueRechecks(limit: number): Promise<readonly PendingRecheck[]>;
  /**
   * Finishes a recheck, and raises attention in the same statement unless it is null. Idempotent:
   * if no recheck was pending, nothing is raised.
   */
  finish(intentId: IntentId, attention: string | null): Promise<void>;
  /** As `finish` if the day is over. Before that it does nothing and returns false. */
  finishAfterDay(intentId: IntentId, attention: string | null): Promise<boolean>;
}

/** A verified callback: a payout should be queried. */
export interface PayoutHint {
  readonly intentId: IntentId;
  readonly corridor: Corridor;
  /** Those that verify it. */
  readonly accounts: readonly string[];
  /** A candidate: only an answer that has our key makes it the provider's id of the payment. */
  readonly reference: string | null;
}

/** `unknown`: there is no payout of such an account that is still queried. */
export type HintResult = 'taken' | 'repeated' | 'unknown';

// Queries after a capture or a decline: money may come back, or leave after all (decision 152).

export interface PaidPayout extends Pick<
  PaymentIntent,
  'intentId' | 'amountUsdCents' | 'corridor'
> {
  readonly isDeclined: boolean;
  readonly order: OrderTerms;
}

export interface PaidAsks {
  /** Claims captured and declined payouts that are due to be queried, for ten minutes. */
  claimDue(corridor: Corridor, limit: number): Promise<readonly PaidPayout[]>;
  /**
   * Records the answer, raises attention where the money has come back, is paid again, or is paid
   * after a decline, and schedules the next query.
   * @param forDays after the capture or the decline; then no query follows
   */
  finish(intentId: IntentId, answer: QueryAnswer['outcome'], forDays: number): Promise<void>;
  /**
   * Whether the money of a captured payment came back: by this answer, by an earlier one that this
   * one does not revoke, or by a statement. If so, the row says so, and `paid` after it needs
   * people.
   */
  recordReturn(intentId: IntentId, answer: QueryAnswer['outcome']): Promise<boolean>;
}
