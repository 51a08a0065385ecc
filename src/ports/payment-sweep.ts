// What the reconciler needs: the intents that something is owed, each handed to one worker at a time.
import type { IntentId } from '../domain/ids';
import type { PaymentStart } from '../domain/payment-start';

export interface PaymentSweep {
  /**
   * Up to `limit` open intents past their due time: never seen started, authorized for long, or past their deadline.
   * Each is handed out once per lease, to whichever worker asks first.
   */
  claimDue(limit: number): Promise<readonly PaymentStart[]>;
  /** These have a run: look again after their deadline. A hint, not the truth (design section 3). */
  markStarted(intentIds: readonly IntentId[]): Promise<void>;
  /** Drops nonces and tokens that can no longer be replayed, a bounded batch at a time; answers how many went. */
  dropExpired(limit: number): Promise<number>;
}
