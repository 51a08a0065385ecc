// The start queue starts a workflow soon after the create, and the workflow repairer starts what
// the queue drops (architecture, section 2; decision 123).
import { AsyncLocalStorage } from 'node:async_hooks';
import { until } from '../../src/dev/until';
import { toPaymentStart, type PaymentStart } from '../../src/domain/intents/payment-start';
import type { IntentId } from '../../src/domain/ids';
import type { Log } from '../../src/ports/observe';
import { createPaymentClaims } from '../../src/postgres/intents/claims';
import { connectTemporal } from '../../src/temporal/connection';
import { createStartQueue } from '../../src/temporal/start-queue';
import { anIntent, INSTALLATION } from '../support/builders';
import { aPartner } from '../support/payments/partner';
import { inPaymentWorld } from '../support/payment-world';
import { SILENT } from '../support/silent-log';
import { withDatabase } from '../support/brackets';
import { allowPayouts } from '../../src/postgres/payouts/stops';
import { startNewPayment, startPayment } from '../../src/temporal/payment-start';
import { temporalAddress } from '../support/servers/temporal-address';

/** No server listens at this address. */
const NOWHERE = { address: '127.0.0.1:1', namespace: 'default' };

const bed = withDatabase();

/** A queue whose every start fails, and its log entries about them. */
async function aFailingQueue(onFailed = (): void => undefined) {
  const failed: unknown[] = [];
  const left: unknown[] = [];
  const warn: Log['warn'] = ({ intent_id: intentId, count }) => {
    if (count !== undefined) return left.push(count);
    onFailed();
    return failed.push(intentId);
  };
  const log: Log = { ...SILENT, warn };
  const client = connectTemporal(NOWHERE);
  const queue = createStartQueue({
    ...{ client, claims: bed.claims, rows: bed.lostCommits, clock: bed.clock, log },
  });
  const payment = toPaymentStart(await anIntent(bed, await aPartner(bed)));
  return { queue, failed, left, payment, close: () => client.connection.close() };
}

it('starts in the asynchronous context of the create, also after a wait', async () => {
  const creates = new AsyncLocalStorage<number>();
  const seen: unknown[] = [];
  const { queue, failed, payment, close } = await aFailingQueue(() => {
    seen.push(creates.getStore());
  });
  await close();
  for (let nth = 0; nth < 10; nth += 1) creates.run(nth, () => queue.add(payment));
  await until(() => failed.length === 10, { timeoutMs: 30_000 });
  await queue.drain();
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('starts four at a time, and leaves those that wait at a stop to the workflow repairer', async () => {
  const { queue, failed, left, payment, close } = await aFailingQueue();
  for (let added = 0; added < 10; added += 1) queue.add(payment);
  await queue.drain();
  expect(failed).toEqual(Array.from({ length: 4 }, () => payment.intentId));
  expect(left).toEqual([6]);
  await close();
});

it('leaves starts beyond a thousand waiting ones to the workflow repairer, and logs it once', async () => {
  const { queue, failed, left, payment, close } = await aFailingQueue();
  // Calls over a closed connection fail at once.
  await close();
  for (let added = 0; added < 1_007; added += 1) queue.add(payment);
  await until(() => failed.length === 1_004, { timeoutMs: 60_000 });
  await queue.drain();
  expect(failed).toHaveLength(1_004);
  expect(left).toEqual([3]);
});

it('tries each waiting start, and continues after failures', async () => {
  const { queue, failed, payment, close } = await aFailingQueue();
  for (let added = 0; added < 10; added += 1) queue.add(payment);
  await until(() => failed.length === 10, { timeoutMs: 30_000 });
  await queue.drain();
  expect(failed).toHaveLength(10);
  await close();
});

it('logs nothing about a payment that was confirmed and settled before its turn', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    const workflow = await world.start(payment);
    await world.confirm(payment);
    await workflow.result();
    const warnings: unknown[] = [];
    const log: Log = { ...SILENT, warn: (fields) => warnings.push(fields) };
    const claims = createPaymentClaims(world.database);
    const { client } = world.environment;
    const queue = createStartQueue({
      ...{ client, claims, rows: bed.lostCommits, clock: bed.clock, log },
    });
    queue.add(payment);
    await queue.drain();
    expect(warnings).toEqual([]);
  }));

it('starts one workflow for one payment that is added many times', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    const marked: IntentId[] = [];
    const markStarted = (intentIds: readonly IntentId[]) => {
      marked.push(...intentIds);
      return Promise.resolve();
    };
    const claims = { ...createPaymentClaims(world.database), markStarted };
    const { client } = world.environment;
    const queue = createStartQueue({
      ...{ client, claims, rows: bed.lostCommits, clock: bed.clock, log: SILENT },
    });
    for (let added = 0; added < 5; added += 1) queue.add(payment);
    await until(() => marked.length > 0, { timeoutMs: 30_000 });
    const { runId } = await client.workflow.getHandle(payment.intentId).describe();
    await until(() => marked.length === 5, { timeoutMs: 30_000 });
    await queue.drain();
    expect(marked).toHaveLength(5);
    await expect(client.workflow.getHandle(payment.intentId).describe()).resolves.toMatchObject({
      runId,
    });
  }));

it('starts no workflow for a payment whose deadline has passed while its start waited', async () => {
  const { queue, failed, payment, close } = await aFailingQueue();
  for (let added = 0; added < 10; added += 1) queue.add({ ...payment, expiresAtMs: 0 });
  await queue.drain();
  expect(failed).toEqual([]);
  await close();
});

// The first start of a row, on a real Temporal server: a workflow that is older than the row shows
// that the row was lost and created again (decision 133).
describe('the first start of a row', () => {
  const bed = withDatabase();
  const client = connectTemporal({ address: temporalAddress(), namespace: 'default' });
  afterAll(() => client.connection.close());

  async function aPayment(): Promise<PaymentStart> {
    return toPaymentStart(await anIntent(bed, await aPartner(bed)), INSTALLATION.id);
  }

  const startNew = (payment: PaymentStart) =>
    startNewPayment({ client, rows: bed.lostCommits, clock: bed.clock }, payment);

  async function isReported({ intentId }: PaymentStart): Promise<boolean> {
    const { rows } = await bed.database.query<{ readonly is_reported: boolean }>({
      text: `select i.must_query_provider
                  and exists (select from payout_stops where kind = 'restore' and ended_at is null) as is_reported
             from payment_intents i where i.intent_id = $1`,
      values: [intentId],
    });
    return rows[0]?.is_reported === true;
  }

  const terminate = ({ intentId }: PaymentStart) =>
    client.workflow.getHandle(intentId).terminate('the test is over');

  it('starts a workflow, and a repeated start reports nothing', async () => {
    const payment = await aPayment();
    await startNew(payment);
    await startNew(payment);
    await expect(isReported(payment)).resolves.toBe(false);
    await terminate(payment);
  });

  it.each(['open', 'closed'])(
    'reports a row that was created again beside an older workflow that is %s',
    async (state) => {
      const payment = await aPayment();
      const older = { ...payment, createdAtMs: payment.createdAtMs - 60_000 };
      await startPayment(client, older, bed.clock.now());
      if (state === 'closed') await terminate(older);
      await startNew(payment);
      await expect(isReported(payment)).resolves.toBe(true);
      const { status } = await client.workflow.getHandle(payment.intentId).describe();
      expect(status.name).toBe('RUNNING');
      await terminate(payment);
      await bed.database.query({ text: 'delete from payout_stops' });
    },
  );

  it('marks such a row and stops no payouts, once operators have resolved the loss', async () => {
    const resolved = await aPayment();
    await startPayment(client, { ...resolved, createdAtMs: 0 }, bed.clock.now());
    await startNew(resolved);
    await expect(isReported(resolved)).resolves.toBe(true);
    await allowPayouts(bed.database, { actor: 'ann', reason: 'compared', isAfterRestore: true });
    const payment = await aPayment();
    await startPayment(client, { ...payment, createdAtMs: 0 }, bed.clock.now());
    await startNew(payment);
    const { rows } = await bed.database.query({
      text: `select must_query_provider, (select count(*)::int from payout_stops where ended_at is null) as stops
             from payment_intents where intent_id = $1`,
      values: [payment.intentId],
    });
    expect(rows).toEqual([{ must_query_provider: true, stops: 0 }]);
    await Promise.all([terminate(resolved), terminate(payment)]);
    await bed.database.query({ text: 'delete from payout_stops' });
  });
});
