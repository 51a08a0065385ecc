// Pending rechecks: for a day a manual resolution is checked against the provider's later answers
// (architecture, section 3, "Settlement"). The transition that resolves a payment writes its row.
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
