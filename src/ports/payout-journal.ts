// What we did about each payout: whether it was ever sent, so that we ask before we send again (design section 3).
import type { IntentId } from '../domain/ids';

/** `first`: never sent before. `repeat`: it may have been sent, so ask first. `refused`: the row allows no payout. */
export type PayoutAttempt = 'first' | 'repeat' | 'refused';

export interface PayoutJournal {
  /** Recorded before every sending; only an `authorized`, debited intent may be paid out. */
  beginAttempt(intentId: IntentId): Promise<PayoutAttempt>;
}
