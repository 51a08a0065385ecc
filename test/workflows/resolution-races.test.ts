// What operations declare, against an attempt that goes on although it was given up: whoever writes first has decided
// (architecture, section 3, "Settlement"; decision 125).
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { anUnknownPayment, declared, endingOf, resolver } from './declarations';

type Answers = NonNullable<WorldOptions['provider']>;

describe('operations declare a payout declined, and an attempt of it goes on', () => {
  it('declined is not written when an attempt has begun since it was judged', async () => {
    const provider: Answers = ['unknown'];
    await inPaymentWorld({ provider, wrap: stray }, async (world) => {
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
    await inPaymentWorld({ provider, wrap: capturedFirst }, async (world) => {
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

  it('of two at once of which the first is not written, the other is not told that it was decided', () =>
    inPaymentWorld({ provider: ['unknown'], wrap: stray }, async (world) => {
      const { resolve } = await anUnknownPayment(world);
      const replies = await Promise.all([
        resolve(declared('declined', 'ann')),
        resolve(declared('declined', 'bob')),
      ]);
      expect(replies.map(({ status }) => status)).toEqual(['authorized', 'authorized']);
      const refusals = replies.map(({ refusal }) => refusal).sort();
      expect(refusals).toEqual([
        'An attempt has begun since the provider was asked, or it has said that it has the payout. Repeat the command.',
        'The payment does not wait for operations at this moment. Repeat the command.',
      ]);
    }));
});

describe('a provider has called the payout paid in another amount, and is away when operations declare it declined', () => {
  const refused = {
    status: 'authorized',
    refusal:
      'The provider has called it paid or pending before, and does not call it declined now. Repeat the command when it does; if it never will, see --provider-is-gone.',
  };

  async function aContraryPayment(world: PaymentWorld, provider: Answers) {
    const payment = await world.create();
    const run = await world.start(payment);
    await expect(world.confirm(payment)).resolves.toEqual({ status: 'authorized' });
    provider.splice(0, 1, 'unknown');
    return { payment, run, resolve: resolver(world, payment) };
  }

  it('refused, and nothing is given back', async () => {
    const provider: Answers = [{ outcome: 'paid', amountUsdCents: 1 }];
    await inPaymentWorld({ provider }, async (world) => {
      const { resolve } = await aContraryPayment(world, provider);
      await expect(world.passTimeUntil(resolve(declared('declined')))).resolves.toEqual(refused);
      await expect(endingOf(world)).resolves.toMatchObject({ steps: ['debit'] });
    });
  });

  it('unless they say that it is gone for good: failed, and the debit given back', async () => {
    const provider: Answers = [{ outcome: 'paid', amountUsdCents: 1 }];
    await inPaymentWorld({ provider }, async (world) => {
      const { resolve } = await aContraryPayment(world, provider);
      const gone = { ...declared('declined'), isProviderGone: true };
      await expect(world.passTimeUntil(resolve(gone))).resolves.toEqual({
        status: 'failed',
        refusal: null,
      });
      await expect(endingOf(world)).resolves.toMatchObject({ steps: ['debit', 'release'] });
    });
  });

  it('also by a run that was started since, and has never heard from it', async () => {
    const provider: Answers = [{ outcome: 'paid', amountUsdCents: 1 }];
    await inPaymentWorld({ provider }, async (world) => {
      const { payment, run, resolve } = await aContraryPayment(world, provider);
      await run.terminate('an operator');
      await world.start({ ...payment, status: 'authorized' });
      await world.environment.sleep('20 minutes');
      await expect(resolve(declared('declined'))).resolves.toEqual(refused);
      await expect(endingOf(world)).resolves.toMatchObject({ steps: ['debit'] });
    });
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
