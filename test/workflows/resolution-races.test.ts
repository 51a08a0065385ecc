// What operations declare, against an attempt that goes on although it was given up: whoever writes first has decided
// (architecture, section 3, "Settlement"; decision 125).
import type { WorldOptions } from '../support/payment-world';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { declared, withPayment, withUnknownPayment, type StartedWorld } from './started-payment';

const ATTEMPT_BEGAN =
  'An attempt has begun since the provider was asked, or it has said that it has the payout. Repeat the command.';
const GONE = { ...declared('declined'), isProviderGone: true };

/** A worker that was frozen begins its attempt only when it has been judged. */
const stray: NonNullable<WorldOptions['wrap']> = (activities) => ({
  ...activities,
  verifyResolution: async (payout) => {
    const judgement = await activities.verifyResolution(payout);
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

describe('operations declare a payout declined, and an attempt of it goes on', () => {
  it('declined is not written when an attempt has begun since it was judged', () =>
    withUnknownPayment({ wrap: stray }, async ({ resolve, run, row }, provider) => {
      const reply = await resolve(declared('declined'));
      expect(reply).toEqual({ status: 'authorized', rejection: ATTEMPT_BEGAN });
      await expect(row()).resolves.toMatchObject({ steps: ['debit'] });
      provider.push('paid');
      await expect(run.result()).resolves.toBe('captured');
    }));

  it('declined finds the row captured by an attempt that was given up: refused, and nothing is to be contradicted', () =>
    withUnknownPayment({ wrap: capturedFirst }, async ({ resolve, run, row }, provider) => {
      await expect(resolve(declared('declined'))).resolves.toEqual({
        status: 'captured',
        rejection: 'The payout has been decided already.',
      });
      provider.push('paid');
      await expect(run.result()).resolves.toBe('captured');
      await expect(row()).resolves.toEqual({
        ...{ status: 'captured', attention: null, steps: ['debit', 'capture'] },
      });
    }));

  it('of two at once of which the first is not written, the other is not told that it was decided', () =>
    withUnknownPayment({ wrap: stray }, async ({ resolve }) => {
      const both = [declared('declined', 'ann'), declared('declined', 'bob')];
      const replies = await Promise.all(both.map(resolve));
      expect(replies.map(({ status }) => status)).toEqual(['authorized', 'authorized']);
      expect(replies.map(({ rejection }) => rejection).sort()).toEqual([
        ATTEMPT_BEGAN,
        'The payment does not wait for operations at this moment. Repeat the command.',
      ]);
    }));
});

describe('a provider has called the payout paid in another amount, and is away when operations declare it declined', () => {
  const refused = {
    status: 'authorized',
    rejection:
      'The provider has called it paid or pending before, and does not call it declined now. Repeat the command when it does; if it never will, see --provider-is-gone.',
  };

  async function withContraryPayment(work: (world: StartedWorld) => Promise<void>) {
    const provider: ScriptedAnswer[] = [{ outcome: 'paid', amountUsdCents: 1 }];
    await withPayment({ provider }, async (world) => {
      await expect(world.confirm()).resolves.toEqual({ status: 'authorized' });
      provider.splice(0, 1, 'unknown');
      await work(world);
    });
  }

  it.each([
    ['refused, and nothing is given back', declared('declined'), refused, ['debit']],
    [
      'unless they say that it is gone for good: failed, and the debit given back',
      ...([GONE, { status: 'failed', rejection: null }, ['debit', 'release']] as const),
    ],
  ])('%s', (_what, resolution, reply, steps) =>
    withContraryPayment(async ({ passTimeUntil, resolve, row }) => {
      await expect(passTimeUntil(resolve(resolution))).resolves.toEqual(reply);
      await expect(row()).resolves.toMatchObject({ steps });
    }),
  );

  it('also by a run that was started since, and has never heard from it', () =>
    withContraryPayment(async (world) => {
      await world.run.terminate('an operator');
      await world.start({ ...world.payment, status: 'authorized' });
      await world.environment.sleep('20 minutes');
      await expect(world.resolve(declared('declined'))).resolves.toEqual(refused);
      await expect(world.row()).resolves.toMatchObject({ steps: ['debit'] });
    }));
});
