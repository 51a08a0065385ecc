// Port `Metrics` over prom-client: the metrics by which operators watch the API.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AttentionFigures, AttentionWatch } from '../ports/observe';
import type { StopKind } from '../ports/restores';

const STOP_KINDS: readonly StopKind[] = ['operator', 'restore', 'temporal_restore', 'watch_gap'];
const CONFIRM = '/v1/payment_intents/:intent_id/confirm';
export const LATENCY_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The connections of a process to Postgres, read at each scrape. */
export type ReadPool = () => {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
};

/** What every process measures. */
export function createRegistry(readPool: ReadPool): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'database_connections',
    help: 'Connections to Postgres that are used or idle, and statements waiting for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(readPool())) this.set({ state }, count);
    },
  });
  return registry;
}

/** @param attention read at each scrape of the metrics; scrapes at the same time share one read */
export function createMetrics(readPool: ReadPool, attention?: AttentionWatch) {
  const registry = createRegistry(readPool);
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'HTTP requests by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [registry],
  });
  const { rejections, keySets, skippedKeys } = createCounters(registry);
  // `rate` needs a sample from before: without these it would not count the first failures.
  requests.zero({ route: CONFIRM, method: 'POST', status: 503 });
  rejections.inc({ kind: 'signed_request', reason: 'secret_not_opened' }, 0);
  const inProgress = new Gauge({
    name: 'http_requests_in_progress',
    help: 'HTTP requests in progress, which REQUESTS_MAX bounds',
    registers: [registry],
  });
  const exposeAttention = attentionText(attention);
  return {
    requestAnswered(route: string, method: string, status: number, seconds: number): void {
      requests.observe({ route, method, status }, seconds);
    },
    credentialsRejected(kind: string, reason: string): void {
      rejections.inc({ kind, reason });
    },
    requestsInProgress(count: number): void {
      inProgress.set(count);
    },
    keySetLookedUp(outcome: string): void {
      keySets.inc({ outcome });
    },
    keySkipped(reason: string): void {
      skippedKeys.inc({ reason });
    },
    /** The metrics in the text format of Prometheus. */
    expose: async () => (await Promise.all([registry.metrics(), exposeAttention()])).join('\n'),
    contentType: registry.contentType,
  };
}

function createCounters(registry: Registry) {
  const counter = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  return {
    rejections: counter(
      'credentials_rejected_total',
      'Requests rejected for their credentials, by the cause, which callers never see',
      ...['kind', 'reason'],
    ),
    keySets: counter(
      'key_set_lookups_total',
      'Keys found in a cached key set (hit), and fetches of key sets by their result',
      'outcome',
    ),
    skippedKeys: counter(
      'key_set_keys_skipped_total',
      'Keys of fetched key sets that are never used: with published private members, or others',
      'reason',
    ),
  };
}

/**
 * While Postgres does not answer, these series are absent: an unknown number is not shown as the
 * last known one, or as 0.
 */
function attentionText(watch: AttentionWatch | undefined): () => Promise<string> {
  if (watch === undefined) return () => Promise.resolve('');
  const registry = new Registry();
  const setGauges = createAttentionGauges(registry);
  let reading: Promise<string> | undefined;
  const read = async () => {
    try {
      setGauges(await watch.read());
      return await registry.metrics();
    } catch {
      return '';
    }
  };
  return () =>
    (reading ??= read().finally(() => {
      reading = undefined;
    }));
}

type CreateGauge = (name: string, help: string, ...labelNames: readonly string[]) => Gauge;

function createAttentionGauges(registry: Registry): (figures: AttentionFigures) => void {
  const gauge: CreateGauge = (name, help, ...labelNames) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const setNeeding = createNeedingGauges(gauge);
  const slow = gauge(
    'payments_slow_to_settle',
    'Payments authorized for more than a minute, by whether attention is raised',
    'attention',
  );
  const pending = gauge('webhook_events_pending', 'Webhook events that are pending');
  const pendingAge = gauge('webhook_events_pending_oldest_seconds', 'Age of the oldest of them');
  const disabled = gauge(
    'webhook_endpoints_disabled',
    'Endpoints that get no events until an operator enables them',
  );
  const skipped = gauge(
    'webhook_events_skipped',
    'Webhook events that were skipped because their endpoint is, or was, disabled',
  );
  const stopped = gauge(
    'payouts_stopped',
    '1 while a stop of that kind is in force, else 0: operator, restore, temporal_restore or watch_gap',
    'kind',
  );
  const watchAge = gauge(
    'restore_watch_age_seconds',
    'Seconds since Postgres and Temporal were last compared, which happens every 30 s',
  );
  const alone = gauge(
    'decisions_alone',
    'What one operator decided alone in the last day, without a second person',
  );
  return (figures) => {
    const { needingAttention, slowToSettle, pendingEvents } = figures;
    setNeeding(needingAttention);
    slow.set({ attention: 'raised' }, slowToSettle.withAttention);
    slow.set({ attention: 'none' }, slowToSettle.withoutAttention);
    pending.set(pendingEvents.count);
    pendingAge.set(pendingEvents.oldestSeconds);
    disabled.set(figures.disabledEndpoints);
    skipped.set(figures.skippedEvents);
    for (const kind of STOP_KINDS) {
      stopped.set({ kind }, figures.stopsInForce.includes(kind) ? 1 : 0);
    }
    watchAge.set(figures.restoreWatchAgeSeconds);
    alone.set(figures.decidedAlone);
  };
}

function createNeedingGauges(gauge: CreateGauge) {
  const needing = gauge('payments_needing_attention', 'Payments that need attention', 'kind');
  const named = gauge(
    'payment_needs_attention',
    'The newest payments that need attention, at most twenty: 1',
    ...['intent_id', 'kind', 'corridor'],
  );
  const age = gauge(
    'payments_needing_attention_oldest_seconds',
    'For how long the oldest of them has needed attention',
  );
  return ({ byKind, newest, oldestSeconds }: AttentionFigures['needingAttention']): void => {
    for (const [kind, count] of Object.entries(byKind)) needing.set({ kind }, count);
    named.reset();
    for (const { intentId, ...labels } of newest) named.set({ intent_id: intentId, ...labels }, 1);
    age.set(oldestSeconds);
  };
}
