// A workflow whose row is not there (decision 127), under time skipping: Postgres lost commits, or the start was none of ours.
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

const ANN = { actor: 'ann', reason: 'compared with the provider', isAfterRestore: true };

const stopsOf = ({ rows }: Pick<PaymentWorld, 'rows'>) =>
  rows('select kind, ended_at is null as "isInForce" from payout_stops order by stop_id');

const COLUMNS =
  'intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, created_at, expires_at, check_at';

/** As Postgres does that loses a commit. Answers what puts it back. */
async function loseRow({ rows }: Pick<PaymentWorld, 'rows'>, { intentId }: PaymentStart) {
  const [lost] = await rows<Record<string, unknown>>(
    `delete from payment_intents where intent_id = $1 returning ${COLUMNS}`,
    intentId,
  );
  return (changes: { readonly amount_usd_cents?: number; readonly created_at?: Date } = {}) =>
    rows(
      `insert into payment_intents (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      ...Object.values({ ...lost, ...changes }),
    );
}

async function needsAttention(world: PaymentWorld | StartedWorld, { intentId }: PaymentStart) {
  const run = world.environment.client.workflow.getHandle(intentId);
  return (await markedInUi(run)).needsAttention === true;
}

async function untilStopped(world: Pick<PaymentWorld, 'rows'>): Promise<void> {
  expect(await until(async () => (await stopsOf(world)).length > 0, SOON)).toBe(true);
}

type PutBack = Awaited<ReturnType<typeof loseRow>>;

/** Started by the service, and Postgres lost the row before the deadline. */
function withoutRow(work: (world: StartedWorld, putBack: PutBack) => Promise<void>) {
  return withPayment({ provider: ['not_found'] }, async (world) => {
    const putBack = await loseRow(world, world.payment);
    await resumePayment(world.environment.client, world.payment);
    await untilStopped(world);
    await work(world, putBack);
  });
}

async function expectRunning({ run }: StartedWorld): Promise<void> {
  await expect(run.describe()).resolves.toMatchObject({ status: { name: 'RUNNING' } });
}

it('started for a committed row that is gone, it stops payouts once and waits', () =>
  withoutRow(async (world) => {
    await expect(stopsOf(world)).resolves.toEqual([{ kind: 'restore', isInForce: true }]);
    expect(await until(() => needsAttention(world, world.payment), SOON)).toBe(true);
    await world.environment.sleep('1 hour');
    await expect(stopsOf(world)).resolves.toHaveLength(1);
    await expectRunning(world);
  }));

it('stops nothing again for a loss that people have dealt with', () =>
  withoutRow(async (world) => {
    await allowPayouts(world.database, ANN);
    const other = await world.create();
    await loseRow(world, other);
    // Of before the stop, as the first.
    const older = { ...other, createdAtMs: world.payment.createdAtMs };
    await resumePayment(world.environment.client, older);
    expect(await until(() => needsAttention(world, other), SOON)).toBe(true);
    await expect(stopsOf(world)).resolves.toEqual([{ kind: 'restore', isInForce: false }]);
  }));

it('stops payouts although a later stop for a restore of Temporal was lifted', () =>
  inPaymentWorld({ provider: ['not_found'] }, async (world) => {
    const payment = await world.create();
    const stop = { actor: 'system', reason: 'Temporal went back' };
    await createPayoutStops(world.database).stop({ ...stop, kind: 'temporal_restore' });
    await allowPayouts(world.database, ANN);
    await world.start(payment);
    await loseRow(world, payment);
    await resumePayment(world.environment.client, payment);
    const isStopped = async () => {
      const inForce = await world.rows(
        `select from payout_stops where kind = 'restore' and ended_at is null`,
      );
      return inForce.length > 0;
    };
    expect(await until(isStopped, SOON)).toBe(true);
  }));

it('goes on when its row is back', () =>
  withoutRow(async (world, putBack) => {
    await putBack();
    await allowPayouts(world.database, ANN);
    await expect(world.run.result()).resolves.toBe('expired');
    await expect(needsAttention(world, world.payment)).resolves.toBe(false);
  }));

/** With what refers to it, as in a Postgres that was put back by one file. */
async function loseSettledRow(database: Database, intentId: string): Promise<() => Promise<void>> {
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

it('is paid once where its row was gone at its payout, and is back as it was', async () => {
  let putBack: (() => Promise<void>) | undefined;
  let database: Database | undefined;
  const wrap: NonNullable<WorldOptions['wrap']> = (activities) => ({
    ...activities,
    async payOut(request) {
      if (database !== undefined) putBack ??= await loseSettledRow(database, request.intentId);
      return activities.payOut(request);
    },
  });
  await withPayment({ wrap, provider: ['not_found', 'paid'] }, async (world) => {
    ({ database } = world);
    const confirmed = world.confirm();
    await untilStopped(world);
    await putBack?.();
    await allowPayouts(world.database, ANN);
    await world.environment.sleep('2 minutes');
    await expect(confirmed).resolves.toEqual({ status: 'captured' });
    expect(world.sent).toHaveLength(1);
  });
});

it('asks the provider before it pays for a row that was created again', () =>
  withPayment({ provider: ['not_found', 'paid'] }, async (world) => {
    const createAgain = await loseRow(world, world.payment);
    await createAgain({ created_at: new Date(world.payment.createdAtMs + 5_000) });
    const confirmed = world.confirm();
    await untilStopped(world);
    await expect(stopsOf(world)).resolves.toEqual([{ kind: 'restore', isInForce: true }]);
    expect(world.sent).toHaveLength(0);
    await allowPayouts(world.database, ANN);
    await expect(confirmed).resolves.toEqual({ status: 'captured' });
  }));

it('moves nothing for a row of another amount, and needs attention', () =>
  withPayment(async (world) => {
    const createAgain = await loseRow(world, world.payment);
    await createAgain({ amount_usd_cents: 9_900 });
    await expect(world.confirm()).resolves.toEqual({ status: 'created' });
    const attention = expect.stringContaining('another amount') as unknown;
    await expect(world.row()).resolves.toEqual({ status: 'created', attention, steps: [] });
  }));

it('ends when operations close it with evidence, and another may be started', () =>
  withoutRow(async (world) => {
    const { environment, payment, run } = world;
    const closing = { actor: 'ann', evidence: 'the provider has no such payout' };
    await run.executeUpdate(closeLostUpdate, { args: [closing] });
    await expect(run.result()).rejects.toThrow(WorkflowFailedError);
    await startPayment(environment.client, payment, new Date(payment.createdAtMs));
    await expectRunning(world);
  }));

it('refuses to be closed while its row is there', () =>
  withPayment(async ({ run }) => {
    const closing = { actor: 'ann', evidence: 'a mistake' };
    const closed = run.executeUpdate(closeLostUpdate, { args: [closing] });
    await expect(closed).rejects.toThrow('Workflow Update failed');
  }));

describe('a start that proves nothing', () => {
  const A_ROW_OF_NOBODY = 'pi_00000000000000000000000000';
  const startOf = (payment: PaymentStart, changes: object) => ({
    ...payment,
    intentId: A_ROW_OF_NOBODY,
    ...changes,
  });

  it.each<[string, (payment: PaymentStart) => unknown]>([
    ['of no installation', (payment) => startOf(payment, { installationId: undefined })],
    ['of another installation', (payment) => startOf(payment, { installationId: 'f'.repeat(32) })],
    ['of another intent than its id names', (payment) => payment],
    ['without an input', () => undefined],
    ['with an input that is no payment', () => ({ intentId: A_ROW_OF_NOBODY })],
  ])('fails in one sentence and stops nothing: a mistyped id %s', (_name, inputOf) =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      const run = await world.environment.client.workflow.signalWithStart(PAYMENT_WORKFLOW, {
        workflowId: A_ROW_OF_NOBODY,
        taskQueue: PAYMENTS_QUEUE,
        args: [inputOf(payment)],
        signal: operatorConfirmSignal,
        signalArgs: [{ actor: 'ann', reason: 'by hand' }],
      });
      await expect(run.result()).rejects.toMatchObject({
        cause: { message: expect.stringMatching(/^[^.]+\. [^.]+\.$/) as unknown },
      });
      await expect(stopsOf(world)).resolves.toEqual([]);
    }),
  );
});
