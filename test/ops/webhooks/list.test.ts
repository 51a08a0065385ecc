// `payctl webhooks list`: the state of every endpoint, and the newest events of one partner.
import type { EventId } from '../../../src/domain/ids';
import { rotateWebhookSecret } from '../../../src/ops/webhooks/rotate';
import { setWebhook } from '../../../src/ops/webhooks/set';
import { findWebhookEvents } from '../../../src/ops/webhooks/list';
import { listWebhookEvents, WEBHOOK_STATES } from '../../../src/postgres/reports/webhook-story';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner } from '../../support/payments/partner';
import { jsonOf, runPayctl, textOf } from '../../support/programs/payctl';
import { anEvent, disableEndpoint, eventRow, manyEvents } from './rows';
import { withDatabase, withPartner } from '../../support/brackets';

const ANN = { actor: 'ann', reason: null };

const bed = withDatabase();
const acme = withPartner(bed, { name: 'acme' });
let events: readonly EventId[];
beforeAll(async () => {
  const lotus = await aPartner(bed, { name: 'lotus' });
  await aPartner(bed, { name: 'zen' });
  events = [
    await anEvent(bed, acme, { state: 'pending', attempts: 2 }),
    await anEvent(bed, acme, { state: 'pending', type: 'failed' }),
    await anEvent(bed, acme, { state: 'delivered', attempts: 1 }),
    await anEvent(bed, acme, { state: 'exhausted', attempts: 10 }),
  ];
  await anEvent(bed, lotus, { state: 'skipped' });
  await disableEndpoint(bed, lotus);
  await bed.database.query({
    text: `update webhook_endpoints set failing_since = service_now() where partner_id = 'acme'`,
  });
  await rotateWebhookSecret(bed, { partnerId: 'zen', overlapHours: 24 }, ANN);
  await setWebhook(bed, { partnerId: 'zen', also: ['expired', 'cancelled'] }, ANN);
  await bed.setNow(secondsAfter(NOON, 7_200));
});

const list = (...args: readonly string[]) => runPayctl(bed, ['webhooks', 'list', ...args]);

async function listed(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  return jsonOf(await list(...args, '--json')) as readonly Record<string, unknown>[];
}

async function intentOf(eventId: EventId | undefined): Promise<unknown> {
  return eventId === undefined ? undefined : (await eventRow(bed, eventId))['intent_id'];
}

const idsOf = (rows: readonly Record<string, unknown>[]) => rows.map(({ event_id }) => event_id);

describe('without a partner', () => {
  it('prints every endpoint to programs, with its counts of events', async () => {
    expect(await listed()).toMatchObject([
      {
        partner_id: 'acme',
        url: 'https://acme.example/webhooks',
        state: 'failing',
        failing_since: NOON.toISOString(),
        failing_seconds: 7_200,
        ...{ pending: 2, skipped: 0, exhausted: 1 },
      },
      {
        partner_id: 'lotus',
        state: 'disabled',
        disabled_at: NOON.toISOString(),
        disabled_reason: 'it answered 410 three times',
        ...{ pending: 0, skipped: 1, exhausted: 0 },
      },
      {
        partner_id: 'zen',
        state: 'active',
        previous_until: secondsAfter(NOON, 86_400).toISOString(),
        event_types: expect.arrayContaining(['payment_intent.expired']) as unknown,
      },
    ]);
  });

  it('prints them to people in a table, with notes below each row', async () => {
    expect(textOf(await list())).toBe(
      `
partner  state     pending  skipped  exhausted
acme     failing   2        0        1
  to https://acme.example/webhooks
  failing for 2 h, since 2026-03-02T12:00:00Z
lotus    disabled  0        1        0
  to https://lotus.example/webhooks
  disabled since 2026-03-02T12:00:00Z: it answered 410 three times
zen      active    0        0        0
  to https://zen.example/webhooks
  also sent expired and cancelled
  the secret before the last rotation signs too until 2026-03-03T12:00:00Z
`.trimStart(),
    );
  });

  it('does not mention a second secret after its overlap', async () => {
    await bed.setNow(secondsAfter(NOON, 86_400));
    expect((await listed())[2]).toMatchObject({ previous_until: null });
    await bed.setNow(secondsAfter(NOON, 7_200));
  });
});

describe('with a partner', () => {
  it('prints its events to programs, newest first, each with its last attempt', async () => {
    const rows = await listed('acme');
    expect(idsOf(rows)).toEqual([...events].sort().reverse());
    const [pending = ''] = events;
    const row = rows.find(({ event_id }) => event_id === pending);
    expect(row).toEqual({
      event_id: pending,
      intent_id: await intentOf(events[0]),
      partner_id: 'acme',
      type: 'payment_intent.captured',
      state: 'pending',
      created_at: NOON.toISOString(),
      finished_at: null,
      next_attempt_at: secondsAfter(NOON, 300).toISOString(),
      attempt_count: 2,
      last_attempt: { started_at: NOON.toISOString(), status: 503, error: null },
    });
  });

  it('prints to people both ids, the state, and how the last attempt went', async () => {
    const [, , , exhausted = ''] = events;
    const intentId = await intentOf(events[3]);
    expect(textOf(await list('acme', '--state', 'exhausted'))).toBe(
      `
event                           type      state      attempts  next attempt
${exhausted}  captured  exhausted  10        -
  of ${String(intentId)}, last attempt at 2026-03-02T12:00:00Z: 503
`.trimStart(),
    );
  });

  it('filters by a state, and respects a limit', async () => {
    const [one, two, delivered] = events;
    expect(idsOf(await listed('acme', '--state', 'pending')).sort()).toEqual([one, two].sort());
    expect(idsOf(await listed('acme', '--state', 'delivered'))).toEqual([delivered]);
    expect(await listed('acme', '--limit', '3')).toHaveLength(3);
  });

  it('prints a sentence if there is none', async () => {
    const ran = await list('zen');
    expect([ran.code, ran.stdout]).toEqual([0, 'There is no such event.\n']);
  });
});

it('never prints a secret, nor the body of a partner’s answer', async () => {
  const texts = await Promise.all(
    [[], ['acme'], ['acme', '--json'], ['--json']].map(
      async (args) => (await list(...args)).stdout,
    ),
  );
  expect(texts.join('\n')).not.toMatch(/whsec_|secret_sealed|what the partner answered/);
});

it('stays within 80 columns for people, with long names and errors', async () => {
  const name = 'a-partner-with-the-longest-name-that-there-can-be-of-63-letters';
  const webhookUrl = `https://long.example/${'path/'.repeat(40)}`;
  const long = await aPartner(bed, { name, webhookUrl });
  await disableEndpoint(bed, long);
  await anEvent(bed, long, { state: 'exhausted', attempts: 1 });
  await bed.database.query({
    text: `update webhook_attempts set status = null, error = $1
             from webhook_events v
            where v.event_id = webhook_attempts.event_id and v.partner_id = $2`,
    values: ['the name resolved to an address that is denied '.repeat(5), name],
  });
  const text = (await list()).stdout + (await list(name)).stdout;
  const wide = text.split('\n').filter((line) => line.length > 80);
  // A single word that may have to be copied is never broken.
  expect(wide).toEqual([`  ${webhookUrl}`]);
});

it('finds the newest events of every state among many', async () => {
  const busy = await aPartner(bed, { name: 'busy' });
  await manyEvents(bed, busy, { state: 'skipped', count: 12_000 });
  const filter = { partnerId: 'busy', limit: 2 };
  for (const state of [undefined, ...WEBHOOK_STATES]) {
    const rows = await listWebhookEvents(bed.database, { ...filter, state });
    const isThere = state === undefined || state === 'skipped';
    expect(rows.map(({ event_id }) => event_id)).toEqual(
      isThere ? ['evt_00000000000000000000012000', 'evt_00000000000000000000011999'] : [],
    );
  }
  await expect(findWebhookEvents(bed.database, filter)).resolves.toHaveLength(2);
  const ran = await list();
  expect(ran.stdout).toMatch(/^busy +active\n {2}pending: 0, skipped: 10000\+, exhausted: 0$/m);
});
