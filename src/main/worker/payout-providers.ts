// The payout providers of a worker, one a corridor, and what the worker learns of each.
import { setTimeout as pause } from 'node:timers/promises';
import type { Corridor } from '../../domain/corridor';
import { createProviderHealth, type ProviderHealth } from '../../domain/payouts/provider-health';
import { createPayoutProvider } from '../../http/payout-provider';
import type { PayoutMetrics } from '../../ports/metrics';
import type { PayoutOutcome, PayoutProvider } from '../../ports/payouts/provider';
import { startStopwatch } from '../stopwatch';
import type { WorkerParts } from './parts';

export function createProviders({ config, outbounds, metrics, around }: WorkerParts) {
  const of = (corridor: Corridor, baseUrl: string, token: string) => {
    const onBreaker = (isOpen: boolean) => metrics.breakerSet(corridor, isOpen);
    onBreaker(false);
    const health = createProviderHealth({ pause, onBreaker, elapsedMs: startStopwatch() });
    const provider = createPayoutProvider(outbounds.providers[corridor], { baseUrl, token });
    return { health, provider: around('provider', observed(provider, corridor, health, metrics)) };
  };
  const thai = of('th_qrpay', config.PROVIDER_URL_TH_QRPAY, config.PROVIDER_TOKEN_TH_QRPAY);
  const vietnamese = of('vn_qrpay', config.PROVIDER_URL_VN_QRPAY, config.PROVIDER_TOKEN_VN_QRPAY);
  return {
    providers: { th_qrpay: thai.provider, vn_qrpay: vietnamese.provider },
    providerHealth: { th_qrpay: thai.health, vn_qrpay: vietnamese.health },
  };
}

/** Measures the calls to a provider, and records whether and when it answers. */
export function observed(
  provider: PayoutProvider,
  corridor: Corridor,
  health: Pick<ProviderHealth, 'record'>,
  metrics: PayoutMetrics,
): PayoutProvider {
  const measured = async (call: () => Promise<PayoutOutcome>, isOrder: boolean) => {
    const stopwatch = startStopwatch();
    const answer = await call();
    const durationMs = stopwatch();
    metrics.payoutRequested(corridor, answer.outcome, durationMs / 1_000);
    health.record(answer.outcome !== 'unknown', isOrder ? durationMs : undefined);
    return answer;
  };
  return {
    pay: (order, limits) => measured(() => provider.pay(order, limits), true),
    find: (question) => measured(() => provider.find(question), false),
  };
}
