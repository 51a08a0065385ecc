// What the reconciler needs: open intents past their time, each handed to one worker at a time, and the clearing away of what is
// over.
import type { IntentId } from '../domain/ids';
import type { PaymentStart } from '../domain/intents/payment-start';

export interface DuePayment {
  readonly payment: PaymentStart;
  /**
   * Milliseconds since it could have been paid, by the database's clock: since it was authorized, or the last stop of payouts ended.
   * Null while it is not authorized, and while a stop holds it up.
   */
  readonly payableForMs: number | null;
}

/** A payment that is `created` past its deadline. */
export interface OverduePayment {
  readonly payment: PaymentStart;
  /** Milliseconds since its deadline, by the database's clock. */
  readonly overdueMs: number;
  /** Whether its row alone may decide, once its workflow is known to have confirmed nothing. */
  readonly mayExpire: boolean;
}

export interface PaymentClaims {
  /**
   * Up to `limit` open intents past their due time, before their deadline or authorized: never seen started, or authorized for
   * long. Each is handed out once per lease, which is longer while a stop holds it up, to whichever worker asks first; none whose
   * attention says that its run has completed.
   */
  claimDue(limit: number): Promise<readonly DuePayment[]>;
  /** Up to `limit` created intents past their deadline, likewise. */
  claimOverdue(limit: number): Promise<readonly OverduePayment[]>;
  /** These have a run: look again at their deadline. A hint, not the truth (architecture, section 3). */
  markStarted(intentIds: readonly IntentId[]): Promise<void>;
  /** Up to `limit` events that are owed to a disabled endpoint become `missed`; answers how many. */
  skipEvents(limit: number): Promise<number>;
  /**
   * Drops nonces and tokens that can no longer be replayed, and scanned codes whose token is over and whose intent is not
   * authorized: nothing will be paid out by them. A bounded batch at a time; answers how many went.
   */
  dropExpired(limit: number): Promise<number>;
}
