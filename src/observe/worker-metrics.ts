// The metrics by which operators watch the workers, over prom-client.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createRegistry, LATENCY_BUCKETS_SECONDS, type ReadPool } from './api-metrics';

const BREAKER_HELP = '1 while orders of the corridor stay unanswered and this worker delays others';

/**
 * @param lowUsdCents the threshold; it is a metric too, so that an alert needs no copy of it
 * @param exposeCore the metrics of Temporal's Core, as text
 */
export function createWorkerMetrics(
  readPool: ReadPool,
  lowUsdCents: number,
  exposeCore: () => Promise<string> = () => Promise.resolve(''),
) {
  const registry = createRegistry(readPool);
  const { payouts, payoutSeconds, callbacks, webhooks, guardFailures } = createCounters(registry);
  const balance = gauge(
    registry,
    'holding_balance_usd_cents',
    'Balance of the funds-holding account; absent while it cannot be read',
  );
  const low = gauge(
    registry,
    'holding_low_usd_cents',
    'Below this balance the funds-holding account counts as low (HOLDING_LOW_USD_CENTS)',
  );
  const breaker = gauge(registry, 'payout_breaker_open', BREAKER_HELP, 'corridor');
  balance.remove();
  low.set(lowUsdCents);
  // `increase` needs a sample from before: without it the first would not count.
  webhooks.inc({ result: 'exhausted' }, 0);
  return {
    /** Shows the corridor's series at 0 before its first call: `increase` counts no first one. */
    providerAdded(corridor: string): void {
      breaker.set({ corridor }, 0);
      for (const result of ['paid', 'declined', 'refused', 'unknown'])
        payouts.inc({ corridor, result }, 0);
      callbacks.inc({ corridor, result: 'rejected' }, 0);
    },
    payoutRequested(corridor: string, result: string, seconds: number): void {
      payouts.inc({ corridor, result });
      payoutSeconds.observe({ corridor }, seconds);
    },
    callbackAnswered: (corridor: string, result: string): void =>
      callbacks.inc({ corridor, result }),
    breakerSet: (corridor: string, isOpen: boolean): void =>
      breaker.set({ corridor }, Number(isOpen)),
    webhookAttempted: (result: string): void => webhooks.inc({ result }),
    restoreGuardFailed: (): void => guardFailures.inc(),
    holdingBalanceRead(balanceUsdCents: number | null): void {
      if (balanceUsdCents === null) balance.remove();
      else balance.set(balanceUsdCents);
    },
    expose: async () => (await Promise.all([registry.metrics(), exposeCore()])).join('\n'),
    contentType: registry.contentType,
  };
}

function createCounters(registry: Registry) {
  const counter = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  return {
    payouts: counter(
      'payout_requests_total',
      'Calls to the payout provider, orders and queries, by their result',
      ...['corridor', 'result'],
    ),
    payoutSeconds: new Histogram({
      name: 'payout_request_duration_seconds',
      help: 'Duration of calls to the payout provider',
      labelNames: ['corridor'],
      buckets: LATENCY_BUCKETS_SECONDS,
      registers: [registry],
    }),
    callbacks: counter(
      'provider_callbacks_total',
      'Callbacks of payout providers, by their result: taken, repeated, unknown, rejected or unavailable',
      ...['corridor', 'result'],
    ),
    guardFailures: counter(
      'restore_guard_failures_total',
      'Failed comparisons of the mark in Postgres by which this worker notices a restore',
    ),
    webhooks: counter(
      'webhook_attempts_total',
      'Attempts to deliver a webhook, by their result: delivered, retry or exhausted',
      'result',
    ),
  };
}

function gauge(registry: Registry, name: string, help: string, ...labelNames: string[]): Gauge {
  return new Gauge({ name, help, labelNames, registers: [registry] });
}
