// What we did about each payout: whether it was ever sent, so that we ask before we send again
// (architecture, section 3).
import type { IntentId } from '../domain/ids';
import type { PaymentTerms } from '../domain/transition';

export interface PayoutAttempt {
  /**
   * `first`: never sent before, right after its debit. `repeat`: it may have been sent, so ask first. `refused`: the row allows no payout.
   * `closed`: operations have it judged at this moment ({@link PayoutGate}); try again. `stopped`: as all
   * that were not begun (port payout-stops).
   */
  readonly kind: 'first' | 'repeat' | 'refused' | 'closed' | 'stopped';
  /**
   * Whether this attempt may send: payouts are not stopped, the provider has never said that it has the payout, and no other
   * attempt can still be on its way. Every attempt may query the provider.
   */
  readonly maySend: boolean;
  /** Whether the provider has said before that it has the payout. */
  readonly isTaken: boolean;
  /** Milliseconds since the first attempt, by the database's clock: what the patience with an unknown payout goes by. */
  readonly sinceFirstMs: number;
  /** The scanned code that the intent was authorized with, the same at every attempt; null where there was none. Never log it. */
  readonly qrPayload: string | null;
}

export interface PayoutJournal {
  /**
   * Recorded before every sending; only an `authorized`, debited intent may be paid out.
   * @param attemptId a UUID, of this attempt alone
   * @param terms what the workflow knows: a row that says otherwise is another payment, and refuses
   */
  beginAttempt(
    intentId: IntentId,
    attemptId: string,
    terms?: Pick<PaymentTerms, 'amountUsdCents' | 'corridor'>,
  ): Promise<PayoutAttempt>;
  /**
   * The attempt has ended and sends nothing any more, so the next one may. Without this call the next one may send only 16 s
   * after this one began.
   */
  endAttempt(intentId: IntentId, attemptId: string): Promise<void>;
  /** The provider has said that it has the payout: pending, or paid in whatever amount. Kept for good. */
  noteTaken(intentId: IntentId): Promise<void>;
}

export type GateAnswer =
  /**
   * `attempts` is how often it was begun by then, 0 if never: what is judged now holds only while that is true. `isTaken`: the provider
   * has said before that it has the payout.
   */
  | { readonly outcome: 'closed'; readonly attempts: number; readonly isTaken: boolean }
  /** A sending may still be under way for that long. */
  | { readonly outcome: 'too_soon'; readonly inMs: number };

/**
 * Holds a payout still while operations have it judged (architecture, section 3, "Settlement"): nothing may be sent between the last
 * question to the provider and the end that is written.
 */
export interface PayoutGate {
  /** For a minute no attempt begins, unless one began less than a whole attempt's time ago: then nothing is closed. */
  close(intentId: IntentId): Promise<GateAnswer>;
  /** Attempts may begin again, since the provider has the payout, and that is kept. */
  open(intentId: IntentId): Promise<void>;
}
