// Payments that ended on somebody's word, for as long as that is to be compared with what the provider says (architecture,
// section 3, "Settlement"). Each is written by the transition that ended its payment so.
import type { ManualResolution } from '../../domain/intents/manual-resolution';
import type { IntentId } from '../../domain/ids';
import type { PaymentIntent } from '../../domain/intents/payment-intent';

export interface PendingRecheck extends Pick<
  PaymentIntent,
  'intentId' | 'partnerId' | 'amountUsdCents' | 'corridor'
> {
  readonly resolvedAs: ManualResolution;
}

export interface PayoutRechecks {
  /** Up to `limit` past their time, whose run may be gone. Each is handed out once per lease, to whichever worker asks first. */
  claimDueRechecks(limit: number): Promise<readonly PendingRecheck[]>;
  /**
   * Nothing is owed any more: the provider has told. In the same statement attention is raised, unless it is null.
   * Idempotent, and where nothing was owed, nothing is raised.
   */
  end(intentId: IntentId, attention: string | null): Promise<void>;
  /** As `end` once the day is over, and false before that: the provider has told nothing. */
  endAfterDay(intentId: IntentId, attention: string | null): Promise<boolean>;
}
