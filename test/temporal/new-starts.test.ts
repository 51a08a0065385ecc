// The first start of a row, on a real Temporal server: a workflow that is older than the row shows that the row was lost and created
// again (record 133).
import { connectTemporal } from '../../src/temporal/connection';
import { toPaymentStart, type PaymentStart } from '../../src/domain/payment-start';
import { allowPayouts } from '../../src/postgres/payout-stops';
import { startNewPayment, startPayment } from '../../src/temporal/payment-start';
import { anIntent, INSTALLATION, openTestBed, type TestBed } from '../support/builders';
import { aPartner } from '../support/partner';
import { temporalAddress } from '../support/temporal-address';

let bed: TestBed;
let client: ReturnType<typeof connectTemporal>;
beforeAll(async () => {
  bed = await openTestBed();
  client = connectTemporal({ address: temporalAddress(), namespace: 'default' });
});
afterAll(async () => {
  await client.connection.close();
  await bed.close();
});

async function aPayment(): Promise<PaymentStart> {
  return toPaymentStart(await anIntent(bed, await aPartner(bed)), INSTALLATION.id);
}

const startNew = (payment: PaymentStart) =>
  startNewPayment({ client, rows: bed.lostCommits }, payment, bed.clock.now());

async function isReported({ intentId }: PaymentStart): Promise<boolean> {
  const { rows } = await bed.database.query<{ readonly is_reported: boolean }>({
    text: `select i.must_ask_provider
                  and exists (select from payout_stops where kind = 'restore' and ended_at is null) as is_reported
             from payment_intents i where i.intent_id = $1`,
    values: [intentId],
  });
  return rows[0]?.is_reported === true;
}

const terminate = ({ intentId }: PaymentStart) =>
  client.workflow.getHandle(intentId).terminate('the test is over');

it('starts a workflow, and a repeat of the start reports nothing', async () => {
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

it('marks such a row and stops nothing, once people have dealt with the loss', async () => {
  const dealtWith = await aPayment();
  await startPayment(client, { ...dealtWith, createdAtMs: 0 }, bed.clock.now());
  await startNew(dealtWith);
  await expect(isReported(dealtWith)).resolves.toBe(true);
  await allowPayouts(bed.database, { actor: 'ann', reason: 'compared', isAfterRestore: true });
  const payment = await aPayment();
  await startPayment(client, { ...payment, createdAtMs: 0 }, bed.clock.now());
  await startNew(payment);
  const { rows } = await bed.database.query({
    text: `select must_ask_provider, (select count(*)::int from payout_stops where ended_at is null) as stops
             from payment_intents where intent_id = $1`,
    values: [payment.intentId],
  });
  expect(rows).toEqual([{ must_ask_provider: true, stops: 0 }]);
  await Promise.all([terminate(dealtWith), terminate(payment)]);
  await bed.database.query({ text: 'delete from payout_stops' });
});
