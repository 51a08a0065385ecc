// A transition by a caller that has the provider's answer in its hands.
import type { TransitionCommand } from '../../domain/intents/transition';
import type { PayoutDetails } from '../../ports/payouts';

/** `isPaid`: the caller itself has the provider's answer that the payout is paid. */
export interface ProvenCommand extends TransitionCommand {
  readonly isPaid?: boolean;
  /** What that answer says. */
  readonly details?: PayoutDetails;
}

/** Parameters of the statements. */
export function detailParameters({ details }: ProvenCommand) {
  return {
    payout_reference: details?.reference,
    local_currency: details?.local?.currency,
    local_minor: details?.local?.minor,
  };
}
