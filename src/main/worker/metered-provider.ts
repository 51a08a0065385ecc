// Counts the calls to a payout provider and measures them, by corridor and outcome.
import type { Corridor } from '../../domain/corridor';
import type { PayoutMetrics } from '../../ports/metrics';
import type { PayoutOutcome, PayoutProvider } from '../../ports/payouts/provider';
import { startStopwatch } from '../stopwatch';

export function metered(
  provider: PayoutProvider,
  corridor: Corridor,
  metrics: PayoutMetrics,
): PayoutProvider {
  const measured = async (call: () => Promise<PayoutOutcome>): Promise<PayoutOutcome> => {
    const stopwatch = startStopwatch();
    const answer = await call();
    metrics.payoutRequested(corridor, answer.outcome, stopwatch() / 1_000);
    return answer;
  };
  return {
    pay: (order, limits) => measured(() => provider.pay(order, limits)),
    find: (question) => measured(() => provider.find(question)),
  };
}
