// `payctl status` tells apart which of Postgres, Temporal, the workers and the providers is in
// trouble.
import { randomUUID } from 'node:crypto';
import { connectTemporal } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import { runPayctl, textOf } from '../support/programs/payctl';
import { aPartner } from '../support/payments/partner';
import { anIntent } from '../support/builders';
import { temporalAddress } from '../support/servers/temporal-address';
import { NOON, secondsAfter } from '../support/clock';
import { withLiveSetup } from '../faults/live/setup';
import { withDatabase } from '../support/brackets';

const NAMESPACE_TRIES = 60;

interface Part {
  readonly part: string;
  readonly state: string;
  readonly since: string | null;
  readonly blocks: string | null;
  readonly next: string | null;
}

const bed = withDatabase({ isPerTest: true });

/** The parts that are in trouble, by name. */
async function troubles(
  at: { readonly url: string } = bed,
  settings: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, Part>>> {
  const ran = await runPayctl(at, ['status', '--json'], settings);
  const { parts } = JSON.parse(textOf(ran)) as { readonly parts: readonly Part[] };
  expect(parts.map(({ part }) => part)).toEqual([
    ...['Postgres', 'Temporal', 'workers'],
    ...['provider th_qrpay', 'provider vn_qrpay', 'payouts'],
    ...['corridor th_qrpay', 'corridor vn_qrpay'],
  ]);
  return Object.fromEntries(
    parts.filter(({ state }) => state !== 'ok').map((one) => [one.part, one]),
  );
}

const mark = () =>
  bed.database.query({
    text: `insert into worker_marks (worker_id, mark, marked_at) values ($1, 'x', service_now())`,
    values: [randomUUID()],
  });

it('says what no worker and no Temporal block, and since when', async () => {
  await bed.restoreWatch.tick({ ticks: 0, atMs: null });
  await mark();
  await bed.setNow(secondsAfter(NOON, 6));
  await expect(troubles()).resolves.toEqual({
    Temporal: expect.objectContaining({ state: 'away', since: NOON.toISOString() }) as unknown,
    workers: {
      part: 'workers',
      ...{ state: 'away', since: NOON.toISOString() },
      blocks: 'Confirms and cancels get 503; payouts and webhooks wait.',
      next: 'Does their /livez answer? End those that hang, start those that have stopped.',
    },
  });
  await mark();
  expect(Object.keys(await troubles())).toEqual(['Temporal']);
});

it('knows nothing of workers and providers while Postgres is away', async () => {
  const found = await troubles({ url: 'postgres://127.0.0.1:1/nowhere' });
  expect(Object.values(found).map(({ part, state }) => [part, state])).toEqual([
    ...[
      ['Postgres', 'away'],
      ['Temporal', 'away'],
      ['workers', 'unknown'],
    ],
    ...['provider th_qrpay', 'provider vn_qrpay', 'payouts'].map((part) => [part, 'unknown']),
    ...['corridor th_qrpay', 'corridor vn_qrpay'].map((part) => [part, 'unknown']),
  ]);
});

it('names the provider whose payouts have no answer, and a stop of payouts', async () => {
  await mark();
  const intent = await anIntent(bed, await aPartner(bed), { status: 'authorized' });
  await bed.database.query({
    text: `insert into payouts (intent_id, status, attempts, first_attempt_at)
           values ($1, 'sent', 1, service_now())`,
    values: [intent.intentId],
  });
  expect(Object.keys(await troubles())).toEqual(['Temporal']);
  await bed.setNow(secondsAfter(NOON, 15));
  await mark();
  await runPayctl(bed, ['payouts', 'stop', '--as', 'ann', '--reason', 'a test']);
  await expect(troubles()).resolves.toMatchObject({
    'provider th_qrpay': {
      ...{ state: 'waits', since: NOON.toISOString(), blocks: 'Payouts without an answer: 1.' },
      next: 'payctl intents list --status authorized',
    },
    payouts: { state: 'stopped', next: 'payctl payouts show' },
  });
});

describe('beside a real Temporal', () => {
  const { world } = withLiveSetup();

  it('finds no trouble where a worker polls, and a trouble where none ever did', async () => {
    await world.bed.database.query({
      text: `insert into worker_marks (worker_id, mark, marked_at) values ('x', 'x', service_now())
                 on conflict (worker_id) do update set marked_at = excluded.marked_at`,
    });
    const { namespace } = world.client.options;
    const settings = { TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: namespace };
    await expect(troubles(world.bed, settings)).resolves.toEqual({});
    const text = textOf(await runPayctl(world.bed, ['status'], settings));
    expect(text).toMatch(/^Postgres +ok +-/m);
    expect(text).toContain('All answer.');
    const unpolled = { address: temporalAddress(), namespace: `unpolled-${randomUUID()}` };
    const client = connectTemporal(unpolled);
    await registerNamespace(client, unpolled.namespace, NAMESPACE_TRIES);
    await client.connection.close();
    const elsewhere = { ...settings, TEMPORAL_NAMESPACE: unpolled.namespace };
    await expect(troubles(world.bed, elsewhere)).resolves.toMatchObject({
      workers: { state: 'waits', next: 'temporal worker deployment describe --name payments' },
    });
  });
});
