// What operations declare, against an attempt that goes on although it was given up: whoever writes first has decided
// (architecture, section 3, "Settlement"; decision 125).
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { inPaymentWorld, type WorldOptions } from '../support/payment-world';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { anUnknownPayment, declared, endingOf, resolver } from './declarations';

type Answers = NonNullable<WorldOptions['provider']>;

let workflowBundle: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  quietTemporal();
  workflowBundle = await bundleWorkflowCode(workflowsToTest);
});

describe('operations declare a payout declined, and an attempt of it goes on', () => {
  it('declined is not written when an attempt has begun since it was judged', async () => {
    const provider: Answers = ['unknown'];
    await inPaymentWorld({ workflowBundle, provider, wrap: stray }, async (world) => {
      const { resolve, run } = await anUnknownPayment(world);
      const reply = await resolve(declared('declined'));
      expect(reply).toMatchObject({
        status: 'authorized',
        refusal: expect.stringContaining('An attempt has begun since') as unknown,
      });
      await expect(endingOf(world)).resolves.toMatchObject({ steps: ['debit'] });
      provider.push('paid');
      await expect(run.result()).resolves.toBe('captured');
    });
  });

  it('declined finds the row captured by an attempt that was given up: refused, and nothing is to be contradicted', async () => {
    const provider: Answers = ['unknown'];
    await inPaymentWorld({ workflowBundle, provider, wrap: capturedFirst }, async (world) => {
      const { run, resolve } = await anUnknownPayment(world);
      await expect(resolve(declared('declined'))).resolves.toEqual({
        status: 'captured',
        refusal: 'The payout has been decided already.',
      });
      provider.push('paid');
      await expect(run.result()).resolves.toBe('captured');
      await expect(endingOf(world)).resolves.toEqual({
        status: 'captured',
        attention_reason: null,
        steps: ['debit', 'capture'],
      });
    });
  });

  it('of two at once of which the first is not written, the other is not told that it was decided', async () => {
    await inPaymentWorld({ workflowBundle, provider: ['unknown'], wrap: stray }, async (world) => {
      const { resolve } = await anUnknownPayment(world);
      const replies = await Promise.all([
        resolve(declared('declined', 'ann')),
        resolve(declared('declined', 'bob')),
      ]);
      expect(replies.map(({ status }) => status)).toEqual(['authorized', 'authorized']);
      const refusals = replies.map(({ refusal }) => refusal).sort();
      expect(refusals).toEqual([
        'An attempt has begun since the provider was asked. Repeat the command.',
        'The payment does not wait for operations at this moment. Repeat the command.',
      ]);
    });
  });
});

it('declined is refused while a provider is away that has called it paid in another amount, and nothing is given back', async () => {
  const provider: Answers = [{ outcome: 'paid', amountUsdCents: 1 }];
  await inPaymentWorld({ workflowBundle, provider }, async (world) => {
    const payment = await world.create();
    await world.start(payment);
    await expect(world.confirm(payment)).resolves.toEqual({ status: 'authorized' });
    provider.splice(0, 1, 'unknown');
    await expect(resolver(world, payment)(declared('declined'))).resolves.toEqual({
      status: 'authorized',
      refusal:
        'The provider has called it paid or pending before, and does not answer now. Repeat the command when it does.',
    });
    await expect(endingOf(world)).resolves.toMatchObject({ steps: ['debit'] });
  });
});

/** A worker that was frozen begins its attempt only when it has been judged. */
const stray: NonNullable<WorldOptions['wrap']> = (activities) => ({
  ...activities,
  judgeResolution: async (payout) => {
    const judgement = await activities.judgeResolution(payout);
    return { ...judgement, payoutAttempts: (judgement.payoutAttempts ?? 0) - 1 };
  },
});

/** A worker that was told "paid" and frozen writes the capture only when the payout has been judged. */
const capturedFirst: NonNullable<WorldOptions['wrap']> = (activities) => ({
  ...activities,
  async recordTransition(command) {
    const { intentId, from, event } = command;
    if (event === 'fail') {
      const capture = { intentId, from, event: 'capture', actor: 'system' } as const;
      await activities.recordTransition(capture);
    }
    return activities.recordTransition(command);
  },
});
