// "Late provider answers after operations resolved": what operations declared is compared for a day with what the provider
// says, whatever becomes of the payment's run (architecture, section 3, "Settlement", sweep (c)).
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { until } from '../../src/dev/until';
import type { DeclaredOutcome } from '../../src/domain/declared-payout';
import { createPaymentSweep } from '../../src/postgres/payment-sweep';
import { createPayoutComparisons } from '../../src/postgres/payout-comparisons';
import { createReconciler } from '../../src/temporal/reconciler';
import { comparisonWorkflowId, resolvePayoutUpdate } from '../../workflows/messages';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { SILENT } from '../support/silent-log';

type Answers = NonNullable<WorldOptions['provider']>;

const TEN_MINUTES_MS = 600_000;
const SOON = { timeoutMs: 10_000 };

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  quietTemporal();
  workflowBundle = await bundleWorkflowCode(workflowsToTest);
});

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
  await inPaymentWorld({ workflowBundle, provider, wrap }, (world) =>
    work({ ...world, comparisons }),
  );
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
  const compared = world.environment.client.workflow.getHandle(
    comparisonWorkflowId(payment.intentId),
  );
  return { run, compared };
}

function sweep({ environment, database, intents }: PaymentWorld): Promise<number> {
  return createReconciler({
    client: environment.client,
    payments: createPaymentSweep(database),
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
    await inPaymentWorld({ workflowBundle, provider, wrap }, async (world) => {
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
