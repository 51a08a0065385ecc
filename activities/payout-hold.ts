// What a payment does whose payout is held up by a stop (decision 127): it waits, and asks before it gives anything back.
import type { Corridor } from '../src/domain/corridor';
import type { PayoutProvider } from '../src/ports/payout-provider';
import type { PayoutStops } from '../src/ports/payout-stops';
import { payoutsStopped } from './failures';
import { questionOf, type PayoutSubject } from './payout';

export interface PayoutHoldActivities {
  /** @throws PayoutsStopped while they are: to be retried, for as long as it takes */
  awaitPayoutsAllowed(): Promise<void>;
  /** Whether the provider says that it has no such payout, or has declined this amount. Its silence says nothing. */
  isKnownUnpaid(payout: PayoutSubject): Promise<boolean>;
}

export interface PayoutHoldDependencies {
  readonly payoutStops: PayoutStops;
  readonly providers: Readonly<Record<Corridor, PayoutProvider>>;
}

export function createPayoutHoldActivities({
  payoutStops,
  providers,
}: PayoutHoldDependencies): PayoutHoldActivities {
  return {
    async awaitPayoutsAllowed() {
      if (await payoutStops.areInForce()) throw payoutsStopped();
    },
    async isKnownUnpaid(payout) {
      const answer = await providers[payout.corridor].find(questionOf(payout));
      if (answer.outcome === 'not_found') return true;
      return answer.outcome === 'declined' && answer.amountUsdCents === payout.amountUsdCents;
    },
  };
}
