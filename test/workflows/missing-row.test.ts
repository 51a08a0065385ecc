// A workflow whose row is not there (decision 127), under time skipping: Postgres lost commits, or the start was none of ours.
import { WorkflowFailedError } from '@temporalio/client';
import { until } from '../../src/dev/until';
import { usdCents } from '../../src/domain/money';
import type { PaymentStart } from '../../src/domain/payment-start';
import type { Database } from '../../src/postgres/database';
import { allowPayouts, createPayoutStops, listPayoutStops } from '../../src/postgres/payout-stops';
import { resumePayment, startPayment } from '../../src/temporal/payment-start';
import {
  closeLostUpdate,
  operatorConfirmSignal,
  PAYMENT_WORKFLOW,
  PAYMENTS_QUEUE,
} from '../../workflows/messages';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';

const WAIT = { timeoutMs: 20_000 };
const ANN = { actor: 'ann', reason: 'compared with the provider', isAfterRestore: true };

const handleOf = ({ environment }: PaymentWorld, { intentId }: PaymentStart) =>
  environment.client.workflow.getHandle(intentId);

const stopsOf = async ({ database }: PaymentWorld) =>
  (await listPayoutStops(database)).map(({ kind, ended_at }) => ({
    kind,
    isInForce: ended_at === null,
  }));

const COLUMNS =
  'intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, created_at, expires_at, check_at';

/** As Postgres does that loses a commit. Answers what puts it back. */
async function loseRow(
  { database }: PaymentWorld,
  { intentId }: PaymentStart,
): Promise<(changes?: { readonly cents?: number; readonly createdAt?: Date }) => Promise<void>> {
  const { rows } = await database.query<Record<string, unknown>>({
    text: `delete from payment_intents where intent_id = $1 returning ${COLUMNS}`,
    values: [intentId],
  });
  const row = rows[0] ?? {};
  return async ({ cents, createdAt } = {}) => {
    const values = { ...row, amount_usd_cents: cents ?? row['amount_usd_cents'] };
    await database.query({
      text: `insert into payment_intents (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: Object.values({ ...values, created_at: createdAt ?? row['created_at'] }),
    });
  };
}

async function needsAttention(world: PaymentWorld, payment: PaymentStart): Promise<boolean> {
  const { typedSearchAttributes } = await handleOf(world, payment).describe();
  return typedSearchAttributes
    .getAll()
    .some(({ key, value }) => key.name === 'NeedsAttention' && value === true);
}

async function untilStopped(world: PaymentWorld): Promise<void> {
  expect(await until(async () => (await stopsOf(world)).length > 0, WAIT)).toBe(true);
}

/** Started by the service, and Postgres lost the row before the deadline. */
async function withoutRow(
  work: (
    world: PaymentWorld,
    payment: PaymentStart,
    putBack: Awaited<ReturnType<typeof loseRow>>,
  ) => Promise<void>,
) {
  await inPaymentWorld({ provider: ['not_found'] }, async (world) => {
    const payment = await world.create();
    await world.start(payment);
    const putBack = await loseRow(world, payment);
    await resumePayment(world.environment.client, payment);
    await untilStopped(world);
    await work(world, payment, putBack);
  });
}

it('started for a committed row that is gone, it stops payouts once and waits', async () => {
  await withoutRow(async (world, payment) => {
    await expect(stopsOf(world)).resolves.toEqual([{ kind: 'restore', isInForce: true }]);
    expect(await until(() => needsAttention(world, payment), WAIT)).toBe(true);
    await world.environment.sleep('1 hour');
    await expect(stopsOf(world)).resolves.toHaveLength(1);
    const { status } = await handleOf(world, payment).describe();
    expect(status.name).toBe('RUNNING');
  });
});

it('stops nothing again for a loss that people have dealt with', async () => {
  await withoutRow(async (world, payment) => {
    await allowPayouts(world.database, ANN);
    const other = await world.create();
    await loseRow(world, other);
    // Of before the stop, as the first.
    const older = { ...other, createdAtMs: payment.createdAtMs };
    await resumePayment(world.environment.client, older);
    expect(await until(() => needsAttention(world, other), WAIT)).toBe(true);
    await expect(stopsOf(world)).resolves.toEqual([{ kind: 'restore', isInForce: false }]);
  });
});

it('stops payouts although a later stop for a restore of Temporal was lifted', async () => {
  await inPaymentWorld({ provider: ['not_found'] }, async (world) => {
    const payment = await world.create();
    const stop = {
      actor: 'system',
      reason: 'Temporal went back',
      kind: 'temporal_restore',
    } as const;
    await createPayoutStops(world.database).stop(stop);
    await allowPayouts(world.database, ANN);
    await world.start(payment);
    await loseRow(world, payment);
    await resumePayment(world.environment.client, payment);
    const isStopped = async () =>
      (await stopsOf(world)).some(({ kind, isInForce }) => kind === 'restore' && isInForce);
    expect(await until(isStopped, WAIT)).toBe(true);
  });
});

it('goes on when its row is back', async () => {
  await withoutRow(async (world, payment, putBack) => {
    await putBack();
    await allowPayouts(world.database, ANN);
    await expect(handleOf(world, payment).result()).resolves.toBe('expired');
    await expect(needsAttention(world, payment)).resolves.toBe(false);
  });
});

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
  await inPaymentWorld({ wrap, provider: ['not_found', 'paid'] }, async (world) => {
    ({ database } = world);
    const payment = await world.create();
    await world.start(payment);
    const confirmed = world.confirm(payment);
    await untilStopped(world);
    await putBack?.();
    await allowPayouts(world.database, ANN);
    await world.environment.sleep('2 minutes');
    await expect(confirmed).resolves.toEqual({ status: 'captured' });
    expect(world.sent).toHaveLength(1);
  });
});

it('asks the provider before it pays for a row that was created again', async () => {
  const provider = ['not_found', 'paid'] as const;
  await inPaymentWorld({ provider: [...provider] }, async (world) => {
    const payment = await world.create();
    await world.start(payment);
    const createAgain = await loseRow(world, payment);
    await createAgain({ createdAt: new Date(payment.createdAtMs + 5_000) });
    const confirmed = world.confirm(payment);
    await untilStopped(world);
    await expect(stopsOf(world)).resolves.toEqual([{ kind: 'restore', isInForce: true }]);
    expect(world.sent).toHaveLength(0);
    await allowPayouts(world.database, ANN);
    await expect(confirmed).resolves.toEqual({ status: 'captured' });
  });
});

it('moves nothing for a row of another amount, and needs attention', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create(1_250);
    await world.start(payment);
    const createAgain = await loseRow(world, payment);
    await createAgain({ cents: 9_900 });
    await expect(world.confirm(payment)).resolves.toEqual({ status: 'created' });
    const { rows } = await world.database.query({
      text: `select status, attention_reason,
                    (select count(*)::int from ledger_transfers where intent_id = $1) as transfers
               from payment_intents where intent_id = $1`,
      values: [payment.intentId],
    });
    expect(rows).toEqual([
      {
        status: 'created',
        attention_reason: expect.stringContaining('another amount') as unknown,
        transfers: 0,
      },
    ]);
  }));

it('ends when operations close it with evidence, and another may be started', async () => {
  await withoutRow(async (world, payment) => {
    const closing = { actor: 'ann', evidence: 'the provider has no such payout' };
    await handleOf(world, payment).executeUpdate(closeLostUpdate, { args: [closing] });
    await expect(handleOf(world, payment).result()).rejects.toThrow(WorkflowFailedError);
    await startPayment(world.environment.client, payment, new Date(payment.createdAtMs));
    const { status } = await handleOf(world, payment).describe();
    expect(status.name).toBe('RUNNING');
  });
});

it('refuses to be closed while its row is there', () =>
  inPaymentWorld(async (world) => {
    const payment = await world.create();
    const run = await world.start(payment);
    const closing = { actor: 'ann', evidence: 'a mistake' };
    await expect(run.executeUpdate(closeLostUpdate, { args: [closing] })).rejects.toThrow(
      'Workflow Update failed',
    );
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
      const payment = await world.create(usdCents(1_250));
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
