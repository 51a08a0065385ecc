// The payout provider of one corridor (architecture, section 6). An answer counts only if it is
// certainly the provider's own and about this payout: complete, unambiguous by its media type, with
// the right key. Any other may come from a gateway, proxy or cache: its outcome is `unknown`, the
// provider is queried again, and nothing is guessed.
import type { Corridor } from '../corridors/names';
import type { IntentId } from '../domain/ids';
import type { Resolution, ManualResolution } from '../domain/intents/manual-resolution';
import type { PaymentTerms } from '../domain/intents/transition';
import type { PaymentIntent } from '../domain/intents/payment-intent';

export interface PayoutOrder {
  /** `<intent_id>:payout`. The provider executes it at most once, even if it is sent repeatedly. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  /** The scanned code, which names the payee (decision 20); null if there is none. Never log it. */
  readonly qrPayload: string | null;
}

/** A query needs no payee. */
export type PayoutQuestion = Omit<PayoutOrder, 'qrPayload'>;

export type PayoutOutcome =
  | { readonly outcome: 'paid' | 'pending' | 'declined'; readonly amountUsdCents: number }
  /**
   * Only from `find`: the provider does not know the key. It may be sent; the debit may not be
   * released.
   */
  | { readonly outcome: 'not_found' }
  /** It may have been executed. `cause` is a short text such as `timeout after 5 s`. */
  | { readonly outcome: 'unknown'; readonly cause: string };

export interface SendingLimits {
  /** Called right before the order is written. If it returns false, nothing is sent. */
  readonly isInTime: () => boolean;
  /** Time for the provider to answer. */
  readonly timeoutMs: number;
}

export interface PayoutProvider {
  /**
   * Sends the order. Never throws, and returns before its activity's timeout. After a timeout the
   * order does not arrive later, as far as this machine can ensure that.
   */
  pay(order: PayoutOrder, limits: SendingLimits): Promise<PayoutOutcome>;
  /** Queries by key. Never throws. */
  find(question: PayoutQuestion): Promise<PayoutOutcome>;
}

// Records of payout attempts: the provider is queried before a payout that may have been sent is
// sent again (architecture, section 3).

/** The workflow's terms of the payment. A row with other terms is another payment: no payout. */
export type PayoutTerms = Pick<PaymentTerms, 'amountUsdCents' | 'corridor'>;

export interface PayoutSending {
  /** The scanned code that the intent was authorized with; null if there was none. Never log it. */
  readonly qrPayload: string | null;
}

export interface FirstSending extends PayoutSending {
  /** Identifies the payer among those of all partners. Never log it. */
  readonly payer: string;
}

/**
 * `not_payable`: the row allows no payout. `locked`: an operator's decision is being verified
 * ({@link PayoutLock}); try again. `stopped`: payouts are stopped, and this one has not begun.
 * `delayed`: it has not begun, and the caller lets none begin.
 */
export type PayoutAttempt =
  BegunAttempt | { readonly kind: 'not_payable' | 'locked' | 'stopped' | 'delayed' };

export interface BegunAttempt extends Pick<FirstSending, 'payer'> {
  readonly kind: 'begun';
  /** Number of this attempt, from 1. */
  readonly number: number;
  /** Whether no request can have been made before, so that the order needs no query. */
  readonly isFirst: boolean;
  /** Whether no earlier request can still be on its way. */
  readonly isQuiet: boolean;
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
  recordFirstSending(intentId: IntentId, terms: PayoutTerms): Promise<FirstSending | undefined>;
  /**
   * Records an attempt, which must query first unless it `isFirst`. A payout that has begun before
   * may go on during a stop, and where no other may begin.
   */
  beginAttempt(intentId: IntentId, terms: PayoutTerms, mayBegin: boolean): Promise<PayoutAttempt>;
  /**
   * Records a request after the provider has answered this attempt that it does not know the key.
   * Returns undefined and records nothing if another attempt has begun since, an earlier request
   * may still be on its way, the provider has accepted the payout before, payouts are stopped, or
   * this one is locked.
   * @param number of the attempt
   */
  recordSending(
    intentId: IntentId,
    number: number,
    terms: PayoutTerms,
  ): Promise<PayoutSending | undefined>;
  /**
   * Records the provider's answer to an attempt, unless another has begun since; and for good that
   * the provider has the payout, unless it declined.
   * @param number of the attempt
   */
  recordAnswer(intentId: IntentId, number: number, answer: PayoutAnswer): Promise<void>;
  /** Records that the provider's answer to this query says that nothing was paid. */
  recordUnpaid(intentId: IntentId, queryId: string): Promise<void>;
}

/** `amount_mismatch`: in another amount than was ordered. */
export type PayoutAnswer = 'paid' | 'declined' | 'pending' | 'amount_mismatch';

type LockAnswer =
  /**
   * `attempts`: the number of attempts by then; a verification holds only while it is the same.
   * `isAccepted`: an earlier answer said that the provider has the payout.
   */
  | { readonly outcome: 'locked'; readonly attempts: number; readonly isAccepted: boolean }
  /** For `inMs` an earlier request may still be on its way. */
  | { readonly outcome: 'too_soon'; readonly inMs: number };

/**
 * Locks a payout while an operator's decision is verified (architecture, section 3, "Settlement"):
 * nothing may be sent between the last query to the provider and the write of the decision.
 */
export interface PayoutLock {
  /** Locks for a minute: no attempt begins. Does not lock while a request may be on its way. */
  lock(intentId: IntentId): Promise<LockAnswer>;
  /** Unlocks, and records for good that the provider has the payout. */
  unlockAsAccepted(intentId: IntentId): Promise<void>;
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
