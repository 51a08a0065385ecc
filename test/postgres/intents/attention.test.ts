// The figures behind the alarms (docs/operations.md), and their metrics.
import { ATTENTION_KINDS, type AttentionKind } from '../../../src/domain/intents/attention';
import { createMetrics } from '../../../src/observe/api-metrics';
import type { AttentionFigures } from '../../../src/ports/observe';
import { createAttentionWatch } from '../../../src/postgres/reports/attention';
import { anIntent, move, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner } from '../../support/payments/partner';
import { withDatabase } from '../../support/brackets';
import { NO_POOL } from '../../support/no-pool';
import { anAttention } from '../../support/payments/attention';

const NONE = Object.fromEntries(ATTENTION_KINDS.map((kind) => [kind, 0])) as Record<
  AttentionKind,
  number
>;

const NOTHING: AttentionFigures = {
  needingAttention: { byKind: NONE, newest: [], oldestSeconds: 0 },
  slowToSettle: { withAttention: 0, withoutAttention: 0 },
  pendingEvents: { count: 0, oldestSeconds: 0 },
  skippedEvents: 0,
  disabledEndpoints: 0,
  stopsInForce: [],
  restoreWatchAgeSeconds: 0,
  decidedAlone: 0,
};

const bed = withDatabase({ isPerTest: true });
beforeEach(async () => {
  await bed.restoreWatch.tick({ ticks: 0, atMs: null });
});

const figures = () => createAttentionWatch(bed.database).read();
const later = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));

it('the figures are all zero while nothing is waiting', async () => {
  const partner = await aPartner(bed);
  await anIntent(bed, partner);
  await anIntent(bed, partner, { status: 'authorized' });
  await anIntent(bed, partner, { status: 'expired' });
  await expect(figures()).resolves.toEqual(NOTHING);
});

it('the figures count payments that need attention, with the age of the oldest', async () => {
  const partner = await aPartner(bed);
  const open = await anIntent(bed, partner, { status: 'authorized' });
  const settled = await anIntent(bed, partner, { status: 'cancelled' });
  await bed.intents.setAttention(open.intentId, anAttention('one'));
  await later(30);
  await bed.intents.setAttention(
    settled.intentId,
    anAttention('two', 'resolution_contradicted'),
    true,
  );
  await later(44);
  await expect(figures()).resolves.toMatchObject({
    needingAttention: {
      byKind: { payout_unknown: 1, resolution_contradicted: 1 },
      newest: [
        { intentId: settled.intentId, kind: 'resolution_contradicted', corridor: 'th_qrpay' },
        { intentId: open.intentId, kind: 'payout_unknown', corridor: 'th_qrpay' },
      ],
      oldestSeconds: 44,
    },
  });
  await move(bed, open.intentId, 'cancel', { from: 'authorized', actor: 'partner' });
  await expect(figures()).resolves.toMatchObject({
    needingAttention: { byKind: { resolution_contradicted: 1 }, oldestSeconds: 14 },
  });
});

it('the newest twenty that need attention are named, also where another of the kind was', async () => {
  const partner = await aPartner(bed);
  const intents = await times(21, () => anIntent(bed, partner, { status: 'authorized' }));
  for (const { intentId } of intents) {
    await bed.intents.setAttention(intentId, anAttention('one'));
  }
  const { newest } = (await figures()).needingAttention;
  const named = intents.slice(1).map(({ intentId }) => intentId);
  expect(newest.map(({ intentId }) => intentId)).toEqual(named.toReversed());
  const metrics = createMetrics(NO_POOL, createAttentionWatch(bed.database));
  const series = async () =>
    [...(await metrics.expose()).matchAll(/^payment_needs_attention\{intent_id="(\w+)"/gm)].length;
  await expect(series()).resolves.toBe(20);
  for (const { intentId } of intents.slice(2)) {
    await move(bed, intentId, 'cancel', { from: 'authorized', actor: 'partner' });
  }
  await expect(series()).resolves.toBe(2);
});

it('the figures count payments authorized for a minute by attention, claimed or not', async () => {
  const partner = await aPartner(bed);
  await anIntent(bed, partner, { status: 'authorized' });
  const raised = await anIntent(bed, partner, { status: 'authorized' });
  await bed.intents.setAttention(raised.intentId, anAttention('check it'));
  await later(59.999);
  await expect(figures()).resolves.toMatchObject({ slowToSettle: NOTHING.slowToSettle });
  await later(60);
  await expect(figures()).resolves.toMatchObject({
    slowToSettle: { withAttention: 1, withoutAttention: 1 },
  });
  await bed.claims.claimDue(10);
  await expect(figures()).resolves.toMatchObject({
    slowToSettle: { withAttention: 1, withoutAttention: 1 },
  });
});

it('the figures count pending events, skipped events and disabled endpoints', async () => {
  const disabled = await aPartner(bed);
  const enabled = await aPartner(bed);
  await bed.database.query({
    text: `update webhook_endpoints set disabled_at = service_now(), disabled_reason = 'test'
            where partner_id = $1`,
    values: [disabled.partnerId],
  });
  await anIntent(bed, disabled, { status: 'failed' });
  await later(10);
  await anIntent(bed, enabled, { status: 'failed' });
  await anIntent(bed, enabled, { status: 'captured' });
  await later(25);
  await expect(figures()).resolves.toMatchObject({
    pendingEvents: { count: 2, oldestSeconds: 15 },
    skippedEvents: 1,
    disabledEndpoints: 1,
  });
});

it('the figures are read by partial indexes, however many payments are settled', async () => {
  const partner = await aPartner(bed);
  const insert = (prefix: string, status: string, checkAt: string) =>
    bed.database.query({
      text: `insert into payment_intents (intent_id, partner_id, partner_user_id, amount_usd_cents,
                                          corridor, created_at, expires_at, status, check_at)
             select 'pi_${prefix}' || lpad(n::text, 25, '0'), $1, 'u', 1, 'th_qrpay',
                    service_now(), service_now(), '${status}', ${checkAt}
               from generate_series(1, 20000) as n`,
      values: [partner.partnerId],
    });
  await insert('1', 'expired', 'null');
  await insert('2', 'created', `service_now() + interval '30 min'`);
  await bed.database.query({
    text: `insert into intent_transitions (intent_id, from_status, to_status, at, actor)
           select intent_id, 'created', 'expired', service_now(), 'system'
             from payment_intents where status = 'expired'`,
  });
  await bed.database.query({
    text: `insert into webhook_events (event_id, intent_id, partner_id, type, body, created_at,
                                       state)
           select replace(intent_id, 'pi_', 'evt_'), intent_id, partner_id,
                  'payment_intent.expired', '{}', created_at, 'delivered'
             from payment_intents where status = 'expired'`,
  });
  await bed.database.query({
    text: `insert into attention (intent_id, kind, since, sentence, ended_at, ended_by)
           select intent_id, 'payout_unknown', created_at, 'x', created_at, 'captured'
             from payment_intents where status = 'expired' limit 2000`,
  });
  await bed.database.query({ text: 'vacuum analyze' });
  const plan = await planOfFigures();
  expect(plan).not.toContain('Seq Scan on webhook_events');
  expect(plan).not.toContain('Seq Scan on payment_intents');
  expect(plan).toContain('Index Cond: (check_at <=');
  expect(plan).toContain('payment_intents_needing_attention');
  expect(plan).toContain('attention_open');
  expect(plan).not.toContain('Seq Scan on intent_transitions');
});

async function planOfFigures(): Promise<string> {
  let plan = '';
  const explaining: Parameters<typeof createAttentionWatch>[0] = {
    async query({ text }) {
      const { rows } = await bed.database.query<{ readonly 'QUERY PLAN': string }>({
        text: `explain ${text}`,
      });
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return { rows: [] };
    },
  };
  await expect(createAttentionWatch(explaining).read()).rejects.toThrow(
    'no row from: attention-figures',
  );
  return plan;
}

describe('the metrics', () => {
  const linesOf = async (metrics: ReturnType<typeof createMetrics>) =>
    (await metrics.expose())
      .split('\n')
      .filter((line) => /^(payments|payouts|restore|webhook)_/.test(line));

  it('show the current figures', async () => {
    const partner = await aPartner(bed);
    const { intentId } = await anIntent(bed, partner, { status: 'authorized' });
    const metrics = createMetrics(NO_POOL, createAttentionWatch(bed.database));
    expect(await linesOf(metrics)).toContain('payments_needing_attention{kind="payout_unknown"} 0');
    await bed.intents.setAttention(intentId, anAttention('check it'));
    await later(90);
    const expected = [
      ...ATTENTION_KINDS.map(
        (kind) =>
          `payments_needing_attention{kind="${kind}"} ${String(Number(kind === 'payout_unknown'))}`,
      ),
      'payments_needing_attention_oldest_seconds 90',
      'payments_slow_to_settle{attention="raised"} 1',
      'payments_slow_to_settle{attention="none"} 0',
      'webhook_events_pending 0',
      'webhook_events_pending_oldest_seconds 0',
      'webhook_endpoints_disabled 0',
      'webhook_events_skipped 0',
      'payouts_stopped{kind="operator"} 0',
      'payouts_stopped{kind="restore"} 0',
      'payouts_stopped{kind="temporal_restore"} 0',
      'payouts_stopped{kind="watch_gap"} 0',
      'restore_watch_age_seconds 90',
    ];
    expect((await linesOf(metrics)).sort()).toEqual(expected.sort());
  });

  it('leave the series out while Postgres is unavailable, and show no unknown number', async () => {
    let isUp = true;
    const real = createAttentionWatch(bed.database);
    const watch = { read: () => (isUp ? real.read() : Promise.reject(new Error('away'))) };
    const metrics = createMetrics(NO_POOL, watch);
    expect(await linesOf(metrics)).toHaveLength(12 + ATTENTION_KINDS.length);
    isUp = false;
    expect(await linesOf(metrics)).toEqual([]);
    expect(await metrics.expose()).toContain('process_cpu_user_seconds_total');
    isUp = true;
    expect(await linesOf(metrics)).toHaveLength(12 + ATTENTION_KINDS.length);
  });

  it('read the figures once for simultaneous requests', async () => {
    let reads = 0;
    const real = createAttentionWatch(bed.database);
    const watch = {
      read: () => {
        reads += 1;
        return real.read();
      },
    };
    const metrics = createMetrics(NO_POOL, watch);
    await Promise.all([metrics.expose(), metrics.expose(), metrics.expose()]);
    expect(reads).toBe(1);
    await metrics.expose();
    expect(reads).toBe(2);
  });
});
