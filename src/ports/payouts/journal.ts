// What we did about each payout: whether it was ever sent, so that we ask before we send again
// (architecture, section 3).
import type { IntentId } from '../../domain/ids';
import type { PaymentTerms } from '../../domain/intents/transition';

/** Which payment a workflow knows: a row that says otherwise is another one, and allows no payout. */
export type PayoutTerms = Pick<PaymentTerms, 'amountUsdCents' | 'corridor'>;

export interface PayoutSending {
  /** The scanned code that the intent was authorized with; null where there was none. Never log it. */
  readonly qrPayload: string | null;
}

export interface PayoutAttempt {
  /**
   * `not_payable`: the row allows no payout. `locked`: an operator's decision is being verified
   * ({@link PayoutLock}); try again.
   * `stopped`: as all that were not begun (port payout-stops).
   */
  readonly kind: 'begun' | 'not_payable' | 'locked' | 'stopped';
  /** Of this attempt, from 1. */
  readonly number: number;
  /** Whether nothing that was sent before can still be on its way. */
  readonly isQuiet: boolean;
  /** Whether the provider has said before that it has the payout. */
  readonly isAccepted: boolean;
  /** Milliseconds since the first attempt, by the database's clock: what the timeout with an unknown payout goes by. */
  readonly sinceFirstMs: number;
}

/** Only an `authorized`, debited intent may be paid out. Each sending is recorded before a byte of it leaves. */
export interface PayoutJournal {
  /**
   * The first attempt, which sends without a query. Undefined, and nothing is recorded, where there was an attempt before, the debit
   * was made more than 2 s ago, payouts are stopped, or Postgres may have forgotten a sending.
   */
  recordFirstSending(intentId: IntentId, terms: PayoutTerms): Promise<PayoutSending | undefined>;
  /** An attempt, which queries the provider. It may do so while payouts are stopped, if the payout was begun before. */
  beginAttempt(intentId: IntentId, terms: PayoutTerms): Promise<PayoutAttempt>;
  /**
   * The provider has answered this attempt that it does not know the payout. Undefined, and nothing is recorded, where another
   * attempt has begun since, a sending may be on its way, the provider had the payout before, or payouts are stopped or this one is locked.
   * @param number of the attempt
   */
  recordSending(
    intentId: IntentId,
    number: number,
    terms: PayoutTerms,
  ): Promise<PayoutSending | undefined>;
  /** The provider has said that it has the payout: pending, or paid in whatever amount. Kept for good. */
  markAccepted(intentId: IntentId): Promise<void>;
}

export type LockAnswer =
  /**
   * `attempts` is how often it was begun by then, 0 if never: what is judged now holds only while that is true. `isAccepted`: the provider
   * has said before that it has the payout.
   */
  | { readonly outcome: 'locked'; readonly attempts: number; readonly isAccepted: boolean }
  /** A sending may still be under way for that long. */
  | { readonly outcome: 'too_soon'; readonly inMs: number };

/**
 * Holds a payout still while operations have it judged (architecture, section 3, "Settlement"): nothing may be sent between the last
 * question to the provider and the end that is written.
 */
export interface PayoutLock {
  /** For a minute no attempt begins and nothing is sent, unless a sending may be on its way: then nothing is closed. */
  lock(intentId: IntentId): Promise<LockAnswer>;
  /** Attempts may begin again, since the provider has the payout, and that is kept. */
  unlockAsAccepted(intentId: IntentId): Promise<void>;
}
