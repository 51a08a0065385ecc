// The metrics that an API and a worker serve at /metrics, with an example of each. Alarms and the
// dashboard can use these.
import { ATTENTION_KINDS, type AttentionKind } from '../../../src/domain/intents/attention';
import type { IntentId } from '../../../src/domain/ids';
import { createMetrics } from '../../../src/observe/api-metrics';
import { createWorkerMetrics } from '../../../src/observe/worker-metrics';
import { NO_POOL } from '../no-pool';
import type { AttentionFigures } from '../../../src/ports/observe';

export interface Series {
  readonly name: string;
  /** The series of a histogram are counters. */
  readonly kind: 'counter' | 'gauge';
  readonly labels: Readonly<Record<string, string>>;
}

/** Every scraped process has it. */
export const OF_PROMETHEUS: Series = { name: 'up', kind: 'gauge', labels: { job: 'payments' } };

/** Of Temporal's Core; test/journeys/hosted-temporal.test.ts asks a real worker for them. */
const OF_CORE: readonly Series[] = [
  {
    name: 'payment_history_events_bucket',
    kind: 'counter',
    labels: { workflow_type: 'paymentIntent', le: '4096' },
  },
  {
    name: 'payouts_begun_total',
    kind: 'counter',
    labels: { workflow_type: 'paymentIntent', way: 'at_once' },
  },
  {
    name: 'temporal_workflow_task_execution_failed',
    kind: 'counter',
    labels: { task_queue: 'payments', workflow_type: 'paymentIntent', failure_reason: 'x' },
  },
  {
    name: 'temporal_workflow_task_schedule_to_start_latency_bucket',
    kind: 'counter',
    labels: { task_queue: 'payments', le: '1' },
  },
];

const ONE_PER_KIND = Object.fromEntries(ATTENTION_KINDS.map((kind) => [kind, 1])) as Record<
  AttentionKind,
  number
>;

const FIGURES: AttentionFigures = {
  needingAttention: {
    byKind: ONE_PER_KIND,
    newest: [{ intentId: 'pi_1' as IntentId, kind: 'payout_differs', corridor: 'th_qrpay' }],
    oldestSeconds: 1,
  },
  slowToSettle: { withAttention: 1, withoutAttention: 1 },
  pendingEvents: { count: 1, oldestSeconds: 1 },
  skippedEvents: 1,
  disabledEndpoints: 1,
  stopsInForce: ['operator'],
  restoreWatchAgeSeconds: 1,
  decidedAlone: 0,
};

export async function exposedSeries(): Promise<readonly Series[]> {
  const api = createMetrics(NO_POOL, { read: () => Promise.resolve(FIGURES) });
  api.requestAnswered('/v1/payment_intents', 'POST', 201, 1);
  api.requestAnswered('/v1/payment_intents', 'POST', 503, 1);
  api.requestAnswered('/v1/payment_intents/:intent_id/confirm', 'POST', 503, 1);
  api.credentialsRejected('signature', 'unknown_key');
  api.keySetLookedUp('hit');
  api.keySkipped('private_members');
  const worker = createWorkerMetrics(NO_POOL, 1);
  worker.webhookAttempted('delivered');
  worker.holdingBalanceRead(1);
  for (const result of ['unknown', 'paid', 'declined']) {
    worker.payoutRequested('th_qrpay', result, 1);
  }
  worker.breakerSet('th_qrpay', true);
  const texts = await Promise.all([api.expose(), worker.expose()]);
  return [...texts.flatMap(seriesIn), ...OF_CORE];
}

/** Series that every Node process exposes. */
export function isOfAnyProcess({ name }: Series): boolean {
  return /^(process|nodejs)_/.test(name);
}

function seriesIn(text: string): readonly Series[] {
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  return [...text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? \S+$/gm)].map(
    ([, name = '', labels = '']) => ({ name, kind: kindOf(name, types), labels: labelsIn(labels) }),
  );
}

function kindOf(name: string, types: ReadonlyMap<string, string>): Series['kind'] {
  const type = types.get(name) ?? types.get(name.replace(/_(bucket|count|sum)$/, ''));
  if (type === undefined) throw new Error(`${name} has no type`);
  return type === 'gauge' ? 'gauge' : 'counter';
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]),
  );
}
