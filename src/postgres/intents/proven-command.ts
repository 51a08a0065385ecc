// A transition by a caller that has the provider's answer in its hands.
import type { TransitionCommand } from '../../domain/intents/transition';
import type { PayoutDetails } from '../../ports/payouts';

/** `isPaid`: the caller itself has the provider's answer that the payout is paid. */
export interface ProvenCommand extends TransitionCommand {
  readonly isPaid?: boolean;
  /** What that answer says. */
  readonly details?: PayoutDetails;
}
