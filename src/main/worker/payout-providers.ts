// The payout providers of a worker, one a corridor, and what the worker learns of each.
import { setTimeout as pause } from 'node:timers/promises';
import { providerSettings, type AccountSettings } from '../../config/providers';
import { byCorridor, type Corridor } from '../../corridors/names';
import { createProviderHealth, type ProviderHealth } from '../../domain/payouts/provider-health';
import { openAccount } from '../../providers/registry';
import type { PayoutMetrics } from '../../ports/observe';
import type { PayoutOutcome, PayoutProvider } from '../../ports/payout-provider';
import { startStopwatch } from '../stopwatch';
import type { WorkerParts } from './parts';

type ProviderParts = Pick<WorkerParts, 'config' | 'outbounds' | 'metrics' | 'around'>;

export function createProviders({ config, outbounds, metrics, around }: ProviderParts) {
  const settings = providerSettings(config);
  const parts = byCorridor((corridor) => {
    const onBreaker = (isOpen: boolean) => metrics.breakerSet(corridor, isOpen);
    metrics.providerAdded(corridor);
    const health = createProviderHealth({ pause, onBreaker, elapsedMs: startStopwatch() });
    const open = (of: AccountSettings) => openAccount(outbounds.providers[corridor], of);
    const { current, former } = settings[corridor];
    const account = open(current);
    const provider = around('provider', observed(account, corridor, health, metrics));
    return { health, account, provider, former: former.map(open) };
  });
  return {
    providers: byCorridor((corridor) => parts[corridor].provider),
    /** The same without metrics and breaker, for queries that no payment waits for. */
    unobserved: byCorridor((corridor) => parts[corridor].account),
    formerProviders: byCorridor((corridor) => parts[corridor].former),
    /** All of a corridor, for callbacks. */
    accounts: byCorridor((corridor) => [parts[corridor].account, ...parts[corridor].former]),
    providerHealth: byCorridor((corridor) => parts[corridor].health),
  };
}

/** Measures the calls to a provider, and records whether and when it answers. */
export function observed(
  provider: PayoutProvider,
  corridor: Corridor,
  health: Pick<ProviderHealth, 'record'>,
  metrics: PayoutMetrics,
): PayoutProvider {
  const measured = async <Answer extends PayoutOutcome>(
    call: () => Promise<Answer>,
    isOrder: boolean,
  ) => {
    const stopwatch = startStopwatch();
    const answer = await call();
    const durationMs = stopwatch();
    metrics.payoutRequested(corridor, answer.outcome, durationMs / 1_000);
    health.record(answer.outcome !== 'unknown', isOrder ? durationMs : undefined);
    return answer;
  };
  return {
    ...provider,
    pay: (order, limits) => measured(() => provider.pay(order, limits), true),
    find: (question) => measured(() => provider.find(question), false),
  };
}
