// A workflow whose row is missing (decision 127): Postgres lost commits, or the service did not
// start the workflow. Under time skipping.
import { WorkflowFailedError } from '@temporalio/client';
import { until } from '../../src/dev/until';
import type { PaymentStart } from '../../src/domain/intents/payment-start';
import type { Database } from '../../src/postgres/database';
import { allowPayouts, createPayoutStops } from '../../src/postgres/payouts/stops';
import { resumePayment, startPayment } from '../../src/temporal/payment-start';
import {
  closeLostUpdate,
  operatorConfirmSignal,
  PAYMENT_WORKFLOW,
  PAYMENTS_QUEUE,
} from '../../workflows/messages/messages';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { markedInUi } from '../support/servers/temporal-ui';
import { SOON, withPayment, type StartedWorld } from './started-payment';

const ANN = { actor: 'ann', reason: 'reconciled with the provider', isAfterRestore: true };

const stopsOf = ({ rows }: Pick<PaymentWorld, 'rows'>) =>
  rows('select kind, ended_at is null as "isInForce" from payout_stops order by stop_id');

const COLUMNS =
  'intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, ' +
  'created_at, expires_at, check_at';

/** Deletes the row, as if its commit was lost. Returns a function that inserts it again. */
async function deleteRow({ rows }: Pick<PaymentWorld, 'rows'>, { intentId }: PaymentStart) {
  const [row] = await rows<Record<string, unknown>>(
    `delete from payment_intents where intent_id = $1 returning ${COLUMNS}`,
    intentId,
  );
  return (changes: { readonly amount_usd_cents?: number; readonly created_at?: Date } = {}) =>
    rows(
      `insert into payment_intents (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      ...Object.values({ ...row, ...changes }),
    );
}

async function needsAttention(world: PaymentWorld | StartedWorld, { intentId }: PaymentStart) {
  const workflow = world.environment.client.workflow.getHandle(intentId);
  return (await markedInUi(workflow)).needsAttention === true;
}

async function untilStopped(world: Pick<PaymentWorld, 'rows'>): Promise<void> {
  expect(await until(async () => (await stopsOf(world)).length > 0, SOON)).toBe(true);
}

type InsertAgain = Awaited<ReturnType<typeof deleteRow>>;

/** A workflow that the service started, whose row is lost before the deadline. */
function withoutRow(work: (world: StartedWorld, insertAgain: InsertAgain) => Promise<void>) {
  return withPayment({ provider: ['not_found'] }, async (world) => {
    const insertAgain = await deleteRow(world, world.payment);
    await resumePayment(world.environment.client, world.payment);
    await untilStopped(world);
    await work(world, insertAgain);
  });
}

async function expectRunning({ workflow }: StartedWorld): Promise<void> {
  await expect(workflow.describe()).resolves.toMatchObject({ status: { name: 'RUNNING' } });
}

it('a workflow started for a committed row that is missing stops payouts once and waits', () =>
  withoutRow(async (world) => {
    await expect(stopsOf(world)).resolves.toEqual([{ kind: 'restore', isInForce: true }]);
    expect(await until(() => needsAttention(world, world.payment), SOON)).toBe(true);
    await world.environment.sleep('1 hour');
    await expect(stopsOf(world)).resolves.toHaveLength(1);
    await expectRunning(world);
  }));

it('a loss that an operator has resolved does not stop payouts again', () =>
  withoutRow(async (world) => {
    await allowPayouts(world.database, ANN);
    const other = await world.create();
    await deleteRow(world, other);
    // The row is older than the stop, as the first one.
    const older = { ...other, createdAtMs: world.payment.createdAtMs };
    await resumePayment(world.environment.client, older);
    expect(await until(() => needsAttention(world, other), SOON)).toBe(true);
    await expect(stopsOf(world)).resolves.toEqual([{ kind: 'restore', isInForce: false }]);
  }));

it('a loss stops payouts although a later stop for a restore of Temporal was lifted', () =>
  inPaymentWorld({ provider: ['not_found'] }, async (world) => {
    const payment = await world.create();
    const stop = { actor: 'system', reason: 'Temporal went back' };
    await createPayoutStops(world.database).stop({ ...stop, kind: 'temporal_restore' });
    await allowPayouts(world.database, ANN);
    await world.start(payment);
    await deleteRow(world, payment);
    await resumePayment(world.environment.client, payment);
    const isStopped = async () => {
      const inForce = await world.rows(
        `select from payout_stops where kind = 'restore' and ended_at is null`,
      );
      return inForce.length > 0;
    };
    expect(await until(isStopped, SOON)).toBe(true);
  }));

it('a workflow goes on when its row is back', () =>
  withoutRow(async (world, insertAgain) => {
    await insertAgain();
    await allowPayouts(world.database, ANN);
    await expect(world.workflow.result()).resolves.toBe('expired');
    await expect(needsAttention(world, world.payment)).resolves.toBe(false);
  }));

/** Deletes the row without the rows that refer to it. Returns a function that inserts it again. */
async function deleteReferredRow(
  database: Database,
  intentId: string,
): Promise<() => Promise<void>> {
  const unchecked = (text: string, values: unknown[]) =>
    database.inTransaction(async (connection) => {
      await connection.query({ text: 'set local session_replication_role = replica' });
      const { rows } = await connection.query<{ readonly row: object }>({ text, values });
      return rows[0]?.row;
    });
  const row = await unchecked(
    'delete from payment_intents i where intent_id = $1 returning to_jsonb(i) as row',
    [intentId],
  );
  return async () => {
    const text =
      'insert into payment_intents select * from jsonb_populate_record(null::payment_intents, $1)';
    await unchecked(text, [JSON.stringify(row)]);
  };
}

it('a payment whose row is missing at its payout is paid once when the row is back', async () => {
  let insertAgain: (() => Promise<void>) | undefined;
  let database: Database | undefined;
  const wrap: NonNullable<WorldOptions['wrap']> = (activities) => ({
    ...activities,
    async payOut(request) {
      if (database !== undefined)
        insertAgain ??= await deleteReferredRow(database, request.intentId);
      return activities.payOut(request);
    },
  });
  await withPayment({ wrap, provider: ['not_found', 'paid'] }, async (world) => {
    ({ database } = world);
    const confirmed = world.confirm();
    await untilStopped(world);
    await insertAgain?.();
    await allowPayouts(world.database, ANN);
    await world.environment.sleep('2 minutes');
    await expect(confirmed).resolves.toEqual({ status: 'captured' });
    expect(world.sent).toHaveLength(1);
  });
});

it('a row that was created again is paid only after a query to the provider', () =>
  withPayment({ provider: ['not_found', 'paid'] }, async (world) => {
    const insertAgain = await deleteRow(world, world.payment);
    await insertAgain({ created_at: new Date(world.payment.createdAtMs + 5_000) });
    const confirmed = world.confirm();
    await untilStopped(world);
    await expect(stopsOf(world)).resolves.toEqual([{ kind: 'restore', isInForce: true }]);
    expect(world.sent).toHaveLength(0);
    await allowPayouts(world.database, ANN);
    await expect(confirmed).resolves.toEqual({ status: 'captured' });
  }));

it('a row of another amount moves no money and needs attention', () =>
  withPayment(async (world) => {
    const insertAgain = await deleteRow(world, world.payment);
    await insertAgain({ amount_usd_cents: 9_900 });
    await expect(world.confirm()).resolves.toEqual({ status: 'created' });
    const attention = expect.stringContaining('another amount') as unknown;
    await expect(world.row()).resolves.toEqual({ status: 'created', attention, steps: [] });
  }));

it('an operator can close the workflow with evidence, and another can be started', () =>
  withoutRow(async (world) => {
    const { environment, payment, workflow } = world;
    const closing = { actor: 'ann', evidence: 'the provider has no such payout' };
    await workflow.executeUpdate(closeLostUpdate, { args: [closing] });
    await expect(workflow.result()).rejects.toThrow(WorkflowFailedError);
    await startPayment(environment.client, payment, new Date(payment.createdAtMs));
    await expectRunning(world);
  }));

it('a workflow with a row cannot be closed', () =>
  withPayment(async ({ workflow }) => {
    const closing = { actor: 'ann', evidence: 'a mistake' };
    const closed = workflow.executeUpdate(closeLostUpdate, { args: [closing] });
    await expect(closed).rejects.toThrow('Workflow Update failed');
  }));

describe('a start for an unknown intent', () => {
  const UNKNOWN_INTENT = 'pi_00000000000000000000000000';
  const startOf = (payment: PaymentStart, changes: object) => ({
    ...payment,
    intentId: UNKNOWN_INTENT,
    ...changes,
  });

  it.each<[string, (payment: PaymentStart) => unknown]>([
    ['without an installation', (payment) => startOf(payment, { installationId: undefined })],
    ['of another installation', (payment) => startOf(payment, { installationId: 'f'.repeat(32) })],
    ['whose input is another intent', (payment) => payment],
    ['without an input', () => undefined],
    ['whose input is no payment', () => ({ intentId: UNKNOWN_INTENT })],
  ])('%s fails with a message for operators and stops no payouts', (_name, inputOf) =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      const workflow = await world.environment.client.workflow.signalWithStart(PAYMENT_WORKFLOW, {
        workflowId: UNKNOWN_INTENT,
        taskQueue: PAYMENTS_QUEUE,
        args: [inputOf(payment)],
        signal: operatorConfirmSignal,
        signalArgs: [{ actor: 'ann', reason: 'by hand' }],
      });
      await expect(workflow.result()).rejects.toMatchObject({
        cause: {
          message: expect.stringMatching(/^[^.]+\. [^.]+\. No money was moved\.$/) as unknown,
        },
      });
      await expect(stopsOf(world)).resolves.toEqual([]);
    }),
  );
});
