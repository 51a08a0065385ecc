// What Temporal says of a payment is no proof (decision 145): anybody with write access to Temporal
// can complete activities and send messages. Money follows the provider's answer or an operator's
// resolution in our rows, and where that is missing the provider is queried again.
import type { PaymentActivities } from '../../activities';
import { move } from '../support/builders';
import { inPaymentWorld, type WorldOptions } from '../support/payment-world';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import {
  aDeclinedOne,
  aResolution,
  withPayment,
  withUnknownPayment,
  whileDelayed,
} from './started-payment';
import { OPEN_SENTENCES } from '../support/payments/attention';

const NOT_PROVEN =
  'Since the query to the provider an attempt has begun, or the provider has accepted the payout, or Postgres has no record of this resolution. Repeat the payctl command.';

/** The first query "is nothing paid?" is completed with this result, and reaches no provider. */
function forgedFirst(result: boolean): { wrap: NonNullable<WorldOptions['wrap']>; count: number } {
  const forged = {
    count: 0,
    wrap: (activities: PaymentActivities): PaymentActivities => ({
      ...activities,
      isKnownUnpaid(query) {
        forged.count += 1;
        return forged.count === 1 ? Promise.resolve(result) : activities.isKnownUnpaid(query);
      },
    }),
  };
  return forged;
}

describe('a forged "nothing is paid"', () => {
  it.each(['paid', 'pending', 'unknown'] as const)(
    'cancels nothing while the provider says %s',
    async (says) => {
      const { wrap } = forgedFirst(true);
      const provider: ScriptedAnswer[] = [says];
      await whileDelayed(
        provider,
        async (world) => {
          await expect(world.cancel()).resolves.toEqual({ status: 'authorized' });
          await expect(world.row()).resolves.toMatchObject({ attention: null, steps: ['debit'] });
          provider.push('paid');
          await world.allow();
          await expect(world.workflow.result()).resolves.toBe('captured');
        },
        { wrap },
      );
    },
  );

  it('expires an intent only after a query of our own, and raises nothing', async () => {
    const forged = forgedFirst(true);
    const provider: ScriptedAnswer[] = ['not_found'];
    await withPayment({ wrap: forged.wrap, provider }, async (world) => {
      await world.stop('restore');
      await world.allow();
      await expect(world.workflow.result()).resolves.toBe('expired');
      expect(forged.count).toBe(2);
      await expect(world.row()).resolves.toMatchObject({ attention: null });
    });
  });

  it('fails no payment whose debit was lost with its payout', async () => {
    const { wrap } = forgedFirst(true);
    const debits: NonNullable<WorldOptions['wrap']> = (activities, ...more) => ({
      ...wrap(activities, ...more),
      debitHoldingAccount: () => Promise.resolve('insufficient'),
    });
    await inPaymentWorld({ wrap: debits, provider: ['paid'] }, async (world) => {
      const payment = await world.create();
      await move(world, payment.intentId, 'authorize');
      const workflow = await world.start({ ...payment, status: 'authorized' });
      await world.environment.sleep('20 seconds');
      const rows = await world.rows(
        `select status, ${OPEN_SENTENCES} as why from payment_intents i`,
      );
      expect(rows).toMatchObject([
        { status: 'authorized', why: expect.stringContaining('does not deny') as string },
      ]);
      await workflow.terminate('the test is over');
    });
  });
});

it('a forged "declined" of a payout that was not begun fails nothing', async () => {
  let payouts = 0;
  const wrap = (activities: PaymentActivities): PaymentActivities => ({
    ...activities,
    payOutAtOnce: () => Promise.resolve({ outcome: 'not_sent' }),
    payOut(request) {
      payouts += 1;
      return payouts === 1 ? Promise.resolve({ outcome: 'declined' }) : activities.payOut(request);
    },
  });
  await withPayment({ wrap, provider: ['paid'] }, async ({ confirm, workflow, row }) => {
    await confirm();
    await expect(workflow.result()).resolves.toBe('captured');
    await expect(row()).resolves.toMatchObject({ steps: ['debit', 'capture'], attention: null });
  });
});

describe('a resolution', () => {
  const UNWRITTEN = { status: 'authorized', rejection: NOT_PROVEN };
  /** The verification is completed without a rejection, and queries no provider. */
  const wrap = (activities: PaymentActivities): PaymentActivities => ({
    ...activities,
    verifyResolution: () => Promise.resolve(null),
  });

  it('as declined is not written if its verification is forged', () =>
    withUnknownPayment({ wrap }, async ({ resolve, row }) => {
      await expect(resolve(aResolution('declined'))).resolves.toEqual(UNWRITTEN);
      await expect(row()).resolves.toMatchObject({ status: 'authorized', steps: ['debit'] });
    }));

  it.each(['paid', 'declined'] as const)('as %s is not written unless payctl recorded it', (as) =>
    withUnknownPayment({}, async ({ requestResolution, workflow, row }, provider) => {
      const forged = as === 'paid' ? aResolution(as, 'eve') : aDeclinedOne('eve');
      await expect(requestResolution(forged)).resolves.toEqual(UNWRITTEN);
      await expect(row()).resolves.toMatchObject({ status: 'authorized', steps: ['debit'] });
      provider.push('paid');
      await expect(workflow.result()).resolves.toBe('captured');
    }),
  );

  it('with another word about the provider than payctl recorded is not written', () =>
    withUnknownPayment({}, async ({ requestResolution, resolve, row }, provider) => {
      provider.splice(0, 1, 'pending');
      await resolve(aResolution('declined'));
      provider.splice(0, 1, 'unknown');
      await expect(requestResolution(aDeclinedOne())).resolves.toEqual(UNWRITTEN);
      await expect(row()).resolves.toMatchObject({ status: 'authorized', steps: ['debit'] });
    }));
});

describe('a forged recheck', () => {
  const rechecked = async (result: string | null) => {
    const wrap = (activities: PaymentActivities): PaymentActivities => ({
      ...activities,
      recheckResolution: () => Promise.resolve(result),
    });
    const seen: unknown[] = [];
    await withUnknownPayment({ wrap }, async ({ resolve, workflow, row, rows }) => {
      await resolve(aDeclinedOne());
      await workflow.result();
      seen.push((await row())?.attention, ...(await rows('select from pending_rechecks')));
    });
    return seen;
  };

  it.each([null, 'the provider says paid.'])(
    'with the result %j raises nothing in the row, and the true recheck stays pending',
    async (result) => {
      await expect(rechecked(result)).resolves.toEqual([null, {}]);
    },
  );
});
