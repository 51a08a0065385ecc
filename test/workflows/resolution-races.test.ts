// A manual resolution against a cancelled payout attempt that still runs: the first write decides
// (architecture, section 3, "Settlement"; decision 125).
import { paidIn } from '../support/payments/answers';
import { move } from '../support/builders';
import type { WorldOptions } from '../support/payment-world';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import {
  aDeclinedOne,
  aResolution,
  withPayment,
  withUnknownPayment,
  type StartedWorld,
} from './started-payment';

const ATTEMPT_BEGAN =
  'Since the query to the provider an attempt has begun, or the provider has accepted the payout, or Postgres has no record of this resolution. Repeat the payctl command.';

/** A frozen worker begins an attempt after the resolution was verified. */
const lateAttempt: NonNullable<WorldOptions['wrap']> = (activities, _setClock, bed) => ({
  ...activities,
  verifyResolution: async (payout) => {
    const rejection = await activities.verifyResolution(payout);
    await bed.database.query({
      text: 'update payouts set attempts = attempts + 1 where intent_id = $1',
      values: [payout.intentId],
    });
    return rejection;
  },
});

/** A worker that froze after the answer "paid" captures after the resolution was verified. */
const capturedFirst: NonNullable<WorldOptions['wrap']> = (activities, _setClock, bed) => ({
  ...activities,
  async recordTransition(command) {
    if (command.event === 'fail') await move(bed, command.intentId, 'capture');
    return activities.recordTransition(command);
  },
});

describe('a resolution as declined while an attempt still runs', () => {
  it('is not written if an attempt has begun since it was verified', () =>
    withUnknownPayment({ wrap: lateAttempt }, async ({ resolve, workflow, row }, provider) => {
      const reply = await resolve(aDeclinedOne());
      expect(reply).toEqual({ status: 'authorized', rejection: ATTEMPT_BEGAN });
      await expect(row()).resolves.toMatchObject({ steps: ['debit'] });
      provider.push('paid');
      await expect(workflow.result()).resolves.toBe('captured');
    }));

  it('is rejected if the attempt has captured, and is not rechecked', () =>
    withUnknownPayment({ wrap: capturedFirst }, async ({ resolve, workflow, row }, provider) => {
      await expect(resolve(aDeclinedOne())).resolves.toEqual({
        status: 'captured',
        rejection: 'The payout has been decided already.',
      });
      provider.push('paid');
      await expect(workflow.result()).resolves.toBe('captured');
      await expect(row()).resolves.toEqual({
        ...{ status: 'captured', attention: null, steps: ['debit', 'capture'] },
      });
    }));

  it('that is not written does not make a simultaneous one fail as already decided', () =>
    withUnknownPayment({ wrap: lateAttempt }, async ({ resolveBoth }) => {
      const both = [aDeclinedOne('ann'), aDeclinedOne('bob')] as const;
      const replies = await resolveBoth(...both);
      expect(replies.map(({ status }) => status)).toEqual(['authorized', 'authorized']);
      expect(replies.map(({ rejection }) => rejection).sort()).toEqual([
        ATTEMPT_BEGAN,
        'The payment does not wait for operations at this moment. Repeat the command.',
      ]);
    }));
});

describe('a resolution as declined after an amount mismatch, while the provider is silent', () => {
  const rejected = {
    status: 'authorized',
    rejection:
      'The provider has accepted it before, and does not call it declined now. Repeat the command when it does; if it never will, see --provider-is-gone.',
  };

  async function withAmountMismatch(work: (world: StartedWorld) => Promise<void>) {
    const provider: ScriptedAnswer[] = [paidIn(1)];
    await withPayment({ provider }, async (world) => {
      await expect(world.confirm()).resolves.toEqual({ status: 'authorized' });
      provider.splice(0, 1, 'unknown');
      await work(world);
    });
  }

  it.each([
    ['is rejected, and no debit is released', aResolution('declined'), rejected, ['debit']],
    [
      'fails the payment and releases the debit if the provider is gone for good',
      ...([aDeclinedOne(), { status: 'failed', rejection: null }, ['debit', 'release']] as const),
    ],
  ])('%s', (_what, resolution, reply, steps) =>
    withAmountMismatch(async ({ passTimeUntil, resolve, row }) => {
      await expect(passTimeUntil(resolve(resolution))).resolves.toEqual(reply);
      await expect(row()).resolves.toMatchObject({ steps });
    }),
  );

  it('is rejected by a new workflow too, which has never had an answer', () =>
    withAmountMismatch(async (world) => {
      await world.workflow.terminate('an operator');
      await world.start({ ...world.payment, status: 'authorized' });
      await world.environment.sleep('20 minutes');
      await expect(world.resolve(aResolution('declined'))).resolves.toEqual(rejected);
      await expect(world.row()).resolves.toMatchObject({ steps: ['debit'] });
    }));
});
