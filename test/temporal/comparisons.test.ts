// "Late provider answers after operations resolved": what ended on somebody's word is compared for a day with what the provider
// says, whatever becomes of the payment's run (architecture, section 3, "Settlement", sweep (c)).
import { until } from '../../src/dev/until';
import type { DeclaredOutcome } from '../../src/domain/declared-payout';
import type { PaymentStart } from '../../src/domain/payment-start';
import { createPaymentSweep } from '../../src/postgres/payment-sweep';
import { createPayoutComparisons } from '../../src/postgres/payout-comparisons';
import { ensureComparison } from '../../src/temporal/comparison-start';
import { createReconciler } from '../../src/temporal/reconciler';
import { cancelUpdate, comparisonWorkflowId, resolvePayoutUpdate } from '../../workflows/messages';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { SILENT } from '../support/silent-log';
import { shownInUi } from '../support/temporal-ui';
import { whileHeld } from '../workflows/held-payment';
import { createLostCommits } from '../../src/postgres/lost-commits';

type Answers = NonNullable<WorldOptions['provider']>;

const TEN_MINUTES_MS = 600_000;
const SOON = { timeoutMs: 10_000 };

interface ComparedWorld extends PaymentWorld {
  /** How often the provider was asked whether it agrees, and that was over. */
  readonly comparisons: { ended: number };
}

async function inComparedWorld(
  provider: Answers,
  work: (world: ComparedWorld) => Promise<void>,
): Promise<void> {
  const comparisons = { ended: 0 };
  const wrap: WorldOptions['wrap'] = (activities) => ({
    ...activities,
    compareResolved: (payout) =>
      activities.compareResolved(payout).finally(() => (comparisons.ended += 1)),
  });
  await inPaymentWorld({ provider, wrap }, (world) => work({ ...world, comparisons }));
}

/** A payment that operations have declared to be that, and of which the provider, asked once, says nothing yet. */
async function aDeclaredPayment(world: ComparedWorld, outcome: DeclaredOutcome) {
  const payment = await world.create();
  const run = await world.start(payment);
  await world.confirmAndWait(payment, '20 minutes');
  const resolution = { outcome, actor: 'ann', evidence: 'a statement' };
  const reply = await run.executeUpdate(resolvePayoutUpdate, { args: [resolution] });
  expect(reply.refusal).toBeNull();
  await until(() => world.comparisons.ended > 0, SOON);
  return { run, compared: comparisonOf(world, payment) };
}

function comparisonOf({ environment }: PaymentWorld, { intentId }: PaymentStart) {
  return environment.client.workflow.getHandle(comparisonWorkflowId(intentId));
}

function sweep({ environment, database, intents }: PaymentWorld): Promise<number> {
  return createReconciler({
    client: environment.client,
    payments: createPaymentSweep(database),
    rows: createLostCommits(database),
    comparisons: createPayoutComparisons(database),
    intents,
    clock: { now: () => new Date() },
    log: SILENT,
  }).sweep();
}

async function standingIn({ database }: PaymentWorld): Promise<unknown> {
  const { rows } = await database.query({
    text: `select status, attention_reason as attention, (select count(*) from owed_comparisons) as owed
             from payment_intents`,
  });
  return rows[0];
}

describe('when the run of the payment is gone', () => {
  it.each([
    ['declined', 'paid', 'failed', 'Declared declined by operations, but the provider says paid.'],
    [
      'paid',
      'declined',
      'captured',
      'Declared paid by operations, but the provider says declined.',
    ],
    ['declined', 'declined', 'failed', null],
    ['paid', 'paid', 'captured', null],
  ] as const)(
    'declared %s, and the provider says %s in the end: %s, with attention where it contradicts',
    async (outcome, said, status, attention) => {
      const provider: Answers = ['unknown'];
      await inComparedWorld(provider, async (world) => {
        const { run, compared } = await aDeclaredPayment(world, outcome);
        await run.terminate('an operator');
        provider.splice(0, provider.length, said);
        await world.setClock(TEN_MINUTES_MS);
        await expect(sweep(world)).resolves.toBe(1);
        await compared.result();
        await expect(standingIn(world)).resolves.toEqual({ status, attention, owed: 0 });
        const { needsAttention = false, currentDetails } = await shownInUi(compared);
        expect(needsAttention).toBe(attention !== null);
        expect(currentDetails).toContain(attention ?? 'if nothing speaks against it');
      });
    },
  );

  it('declared paid, and nothing said for a day: attention; the day is that of the declaration', async () => {
    await inComparedWorld(['unknown'], async (world) => {
      const { run, compared } = await aDeclaredPayment(world, 'paid');
      await run.terminate('an operator');
      await world.environment.sleep('25 hours');
      await world.setClock();
      await sweep(world);
      await compared.result();
      await expect(standingIn(world)).resolves.toEqual({
        status: 'captured',
        attention: 'Declared paid by operations, but the provider has not said so for a day.',
        owed: 0,
      });
    });
  });
});

describe('a payment that was cancelled because the provider said that it has no payout', () => {
  it.each([
    ['paid', 'attention', 'Cancelled as not paid out, but the provider says paid.'],
    ['pending', 'attention', 'Cancelled as not paid out, but the provider says pending.'],
    ['declined', 'nothing', null],
  ] as const)('and the provider says %s in the end: %s', async (said, _raises, attention) => {
    const provider: Answers = ['not_found'];
    await whileHeld({ provider }, async (world, { payment, run }) => {
      await run.executeUpdate(cancelUpdate);
      await run.result();
      provider.splice(0, 1, said);
      await world.setClock();
      await expect(sweep(world)).resolves.toBe(1);
      await comparisonOf(world, payment).result();
      await expect(standingIn(world)).resolves.toEqual({
        status: 'cancelled',
        attention,
        owed: 0,
      });
    });
  });

  it.each(['not_found', 'unknown'] as const)(
    'is left in peace after a day of %s: that is no contradiction',
    async (said) => {
      const provider: Answers = ['not_found'];
      await whileHeld({ provider }, async (world, { payment, run }) => {
        await run.executeUpdate(cancelUpdate);
        await run.result();
        provider.splice(0, 1, said);
        await sweep(world);
        await expect(comparisonOf(world, payment).result()).resolves.toBeNull();
        await expect(standingIn(world)).resolves.toEqual({
          status: 'cancelled',
          attention: null,
          owed: 0,
        });
      });
    },
  );

  it('is compared to no end where nothing is owed any more: its run completes', async () => {
    const provider: Answers = ['not_found'];
    await whileHeld({ provider }, async (world, { payment, run }) => {
      await run.executeUpdate(cancelUpdate);
      await run.result();
      await sweep(world);
      // As a restored database has it, or a worker that died with its answer.
      await world.database.query({ text: 'delete from owed_comparisons' });
      await expect(comparisonOf(world, payment).result()).resolves.toBeNull();
      await expect(standingIn(world)).resolves.toMatchObject({ attention: null });
    });
  });

  it('is compared although its run goes on, which does not', () =>
    inPaymentWorld({ provider: ['not_found'] }, async (world) => {
      const payment = await world.create();
      await world.start(payment);
      const owed = { ...payment, declared: 'cancelled' } as const;
      await ensureComparison(world.environment.client, owed);
      const { status } = await comparisonOf(world, payment).describe();
      expect(status.name).toBe('RUNNING');
      await comparisonOf(world, payment).terminate('the test is over');
    }));
});

describe('while the run of the payment is open', () => {
  it('that run compares, and no other does', async () => {
    const provider: Answers = ['unknown'];
    await inComparedWorld(provider, async (world) => {
      const { run, compared } = await aDeclaredPayment(world, 'declined');
      await world.setClock(TEN_MINUTES_MS);
      await expect(sweep(world)).resolves.toBe(1);
      await expect(compared.describe()).rejects.toThrow(/not found/i);
      provider.push('paid');
      await expect(run.result()).resolves.toBe('failed');
      await expect(standingIn(world)).resolves.toMatchObject({
        attention: 'Declared declined by operations, but the provider says paid.',
        owed: 0,
      });
    });
  });

  it.each([
    ['paid', 'unknown', 'Declared paid by operations, but the provider has not said so for a day.'],
    [
      ...(['declined', 'unknown'] as const),
      'Declared declined by operations, but the provider has not said so for a day.',
    ],
    ['declined', 'not_found', null],
  ] as const)('declared %s, a day of %s ends it', async (outcome, says, attention) => {
    await inComparedWorld([says], async (world) => {
      const { run } = await aDeclaredPayment(world, outcome);
      await run.result();
      await expect(standingIn(world)).resolves.toMatchObject({ attention, owed: 0 });
    });
  });

  it('its worker dies with the answer: what contradicts stands in the row all the same', async () => {
    const provider: Answers = ['unknown'];
    const died = { often: 0 };
    const wrap: WorldOptions['wrap'] = (activities) => ({
      ...activities,
      compareResolved: async (payout) => {
        await activities.compareResolved(payout);
        died.often += 1;
        throw new Error('the worker is gone');
      },
    });
    await inPaymentWorld({ provider, wrap }, async (world) => {
      const { run } = await aDeclaredPayment({ ...world, comparisons: { ended: 1 } }, 'declined');
      provider.push('paid');
      await world.environment.sleep('10 minutes');
      await until(() => died.often > 0, SOON);
      expect(died.often).toBeGreaterThan(0);
      await expect(standingIn(world)).resolves.toMatchObject({
        attention: 'Declared declined by operations, but the provider says paid.',
        owed: 0,
      });
      await run.terminate('the test is over');
    });
  });
});
