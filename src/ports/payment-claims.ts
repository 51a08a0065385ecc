// Claims of open intents for the workflow repairer and the deadline poller, each for one worker at
// a time; and the removal of expired rows.
import type { IntentId } from '../domain/ids';
import type { PaymentStart } from '../domain/intents/payment-start';

export interface DuePayment {
  readonly payment: PaymentStart;
  /**
   * Milliseconds since it could be paid, by the database's clock: since it was authorized, or since
   * the last stop of payouts ended. Null if it is not authorized, and during a stop.
   */
  readonly payableForMs: number | null;
}

/** A payment that is `created` past its deadline. */
export interface OverduePayment {
  readonly payment: PaymentStart;
  /** Milliseconds since its deadline, by the database's clock. */
  readonly overdueMs: number;
  /** Whether its row alone may decide, if its workflow has confirmed nothing. */
  readonly mayExpire: boolean;
  /** Whether its workflow must decide. If neither is true, a later claim decides. */
  readonly needsWorkflow: boolean;
}

export interface PaymentClaims {
  /**
   * Claims up to `limit` open intents whose `check_at` has passed: not known to be started, or
   * authorized for long. Each is claimed once per lease, which is longer during a stop of payouts.
   * Skips intents past their deadline, and those whose attention says that the workflow has
   * completed.
   */
  claimDue(limit: number): Promise<readonly DuePayment[]>;
  /** Claims up to `limit` created intents past their deadline, likewise. */
  claimOverdue(limit: number): Promise<readonly OverduePayment[]>;
  /** Notes that these have a workflow, so that the next check is at their deadline. A hint only. */
  markStarted(intentIds: readonly IntentId[]): Promise<void>;
  /** Marks up to `limit` pending events of disabled endpoints as skipped. @returns their number */
  skipEvents(limit: number): Promise<number>;
  /**
   * Deletes nonces and tokens that can no longer be replayed, and scanned codes whose token has
   * expired and whose intent is not authorized. One bounded batch. @returns the number of rows
   */
  dropExpired(limit: number): Promise<number>;
}
