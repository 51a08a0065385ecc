// What we did about each payout: whether it was ever sent, so that we ask before we send again
// (architecture, section 3).
import type { IntentId } from '../domain/ids';
import type { PaymentTerms } from '../domain/transition';

export interface PayoutAttempt {
  /**
   * `first`: never sent before, right after its debit. `repeat`: it may have been sent, so ask first. `refused`: the row allows no payout.
   * `closed`: operations have it judged at this moment (port payout-gate); try again. `stopped`: as all
   * that were not begun (port payout-stops).
   */
  readonly kind: 'first' | 'repeat' | 'refused' | 'closed' | 'stopped';
  /** Whether anything may be sent; asking is always allowed. */
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
   * @param terms what the workflow knows: a row that says otherwise is another payment, and refuses
   */
  beginAttempt(
    intentId: IntentId,
    terms?: Pick<PaymentTerms, 'amountUsdCents' | 'corridor'>,
  ): Promise<PayoutAttempt>;
  /** The provider has said that it has the payout: pending, or paid in whatever amount. Kept for good. */
  noteTaken(intentId: IntentId): Promise<void>;
}
