// A payment from confirm to its terminal status (architecture, section 3, "Settlement"), with the
// real activities and Postgres.
import { cancelUpdate, resumeSignal } from '../../workflows/messages/messages';
import { fundHoldingAccount } from '../../src/postgres/ledger/holding-account';
import { createLatch } from '../faults/live/latch';
import { move } from '../support/builders';
import type { PaymentWorld, WorldOptions } from '../support/payment-world';
import { markedInUi, shownInUi, summariesInUi } from '../support/servers/temporal-ui';
import { withPayment, withUnknownPayment } from './started-payment';

const UNKNOWN =
  'The outcome of the payout is unknown. The provider is queried by key until it answers.';
const FUNDS = 1_000_000;

const holdingOf = (world: Pick<PaymentWorld, 'rows'>) =>
  world.rows('select balance_usd_cents as holding from holding_balance');

describe('a confirmed payment', () => {
  it('is not authorized by a token that expired while its confirm waited for a worker', () =>
    withPayment(async (world) => {
      const { workflow } = world;
      const expiresAtMs = (await world.environment.currentTimeMs()) - 1;
      const late = world.confirmOf({ ...world.payment, expiresAtMs });
      await expect(late).resolves.toEqual({ status: 'created' });
      await expect(world.confirm('cd'.repeat(32))).resolves.toEqual({ status: 'captured' });
      await expect(workflow.result()).resolves.toBe('captured');
      // The rejected confirm started the workflow, whose timer then waits for the deadline.
      await expect(summariesInUi(workflow)).resolves.toContain('The deadline to confirm');
    }));

  it.each<{
    readonly name: string;
    readonly options: WorldOptions & { readonly cents?: number };
    readonly status: string;
    readonly steps: readonly string[];
    readonly holding: number;
    readonly sent: number;
  }>([
    {
      name: 'is debited, paid out once and captured',
      options: {},
      ...{ status: 'captured', steps: ['debit', 'capture'], holding: FUNDS - 1_250, sent: 1 },
    },
    {
      name: 'fails and releases the debit when the provider declines',
      options: { provider: ['declined'] },
      ...{ status: 'failed', steps: ['debit', 'release'], holding: FUNDS, sent: 1 },
    },
    {
      name: 'fails without a payout when the holding account has too little',
      options: { cents: FUNDS + 1 },
      ...{ status: 'failed', steps: [], holding: FUNDS, sent: 0 },
    },
    {
      name: 'is queried by key before it is sent again when the first answer was lost',
      options: { provider: ['unknown', 'paid'] },
      ...{ status: 'captured', steps: ['debit', 'capture'], holding: FUNDS - 1_250, sent: 1 },
    },
    {
      name: 'is sent again under the same key when the provider does not know it',
      options: { isFirstOrderLost: true },
      ...{ status: 'captured', steps: ['debit', 'capture'], holding: FUNDS - 1_250, sent: 2 },
    },
  ])('$name', ({ options, status, steps, holding, sent }) =>
    withPayment(options, async (world) => {
      const confirming = world.passTimeUntil(world.confirm());
      await expect(confirming).resolves.toEqual({ status });
      await expect(world.workflow.result()).resolves.toBe(status);
      const key = `${world.payment.intentId}:payout`;
      expect(world.sent.map((order) => order.key)).toEqual(Array.from({ length: sent }, () => key));
      await expect(world.row()).resolves.toEqual({ status, attention: null, steps });
      await expect(holdingOf(world)).resolves.toEqual([{ holding }]);
    }),
  );

  it('stays authorized and needs attention while the outcome is unknown, then captures', () =>
    withUnknownPayment({}, async ({ payment, workflow, row, sent }, provider) => {
      await expect(shownInUi(workflow)).resolves.toMatchObject({
        partnerId: payment.partnerId,
        corridor: 'th_qrpay',
        status: 'authorized',
        needsAttention: true,
        currentDetails: `**Needs attention:** ${UNKNOWN}`,
      });
      const authorized = { status: 'authorized', attention: UNKNOWN, steps: ['debit'] };
      await expect(row()).resolves.toEqual(authorized);
      provider.push('paid');
      await expect(workflow.result()).resolves.toBe('captured');
      await expect(shownInUi(workflow)).resolves.toMatchObject({
        status: 'captured',
        needsAttention: false,
        currentDetails: 'Finished: captured.',
      });
      await expect(row()).resolves.toMatchObject({ steps: ['debit', 'capture'] });
      expect(sent).toHaveLength(1);
    }));

  it('is cancelled, its debit released first, while the payout has not been sent', async () => {
    const debit = { begun: createLatch(), held: createLatch() };
    const wrap: WorldOptions['wrap'] = (activities) => ({
      ...activities,
      debitHoldingAccount: async (...order) => {
        debit.begun.open();
        await debit.held.isOpen;
        return activities.debitHoldingAccount(...order);
      },
    });
    await withPayment({ isDebitAlone: true, wrap }, async (world) => {
      const confirmed = world.confirm();
      await debit.begun.isOpen;
      const cancelled = await world.workflow.startUpdate(cancelUpdate, {
        waitForStage: 'ACCEPTED',
      });
      debit.held.open();
      await expect(cancelled.result()).resolves.toEqual({ status: 'cancelled' });
      await expect(confirmed).resolves.toEqual({ status: 'cancelled' });
      expect(world.sent).toEqual([]);
      const steps = ['debit', 'release'];
      await expect(world.row()).resolves.toMatchObject({ status: 'cancelled', steps });
      await expect(holdingOf(world)).resolves.toEqual([{ holding: FUNDS }]);
    });
  });

  it.each([true, false])(
    'that needs attention is queried slowly, as perhaps sent unless isUnsent is %s',
    async (isUnsent) => {
      const asked: boolean[] = [];
      const wrap: WorldOptions['wrap'] = (activities) => ({
        ...activities,
        payOutAtOnce: () => Promise.resolve({ outcome: 'not_sent' }),
        payOut(request) {
          asked.push(request.mayHaveBeenSent);
          if (asked.length > 2) return activities.payOut(request);
          return Promise.resolve({ outcome: 'unknown', isUnsent: isUnsent && asked.length === 1 });
        },
      });
      await withPayment({ wrap }, async ({ confirm, workflow }) => {
        await confirm();
        await expect(workflow.result()).resolves.toBe('captured');
        expect(asked).toEqual([false, !isUnsent, true]);
      });
    },
  );

  it("is not changed by Temporal's own cancel", () =>
    withPayment(async ({ confirm, workflow }) => {
      await expect(markedInUi(workflow)).resolves.toMatchObject({ needsAttention: false });
      await workflow.cancel();
      await expect(confirm()).resolves.toEqual({ status: 'captured' });
      await expect(workflow.result()).resolves.toBe('captured');
    }));

  it('waits for an operator while its row contradicts the workflow', async () => {
    const wrap: WorldOptions['wrap'] = (activities) => ({
      ...activities,
      // As in a restored database, whose row lacks a step of the workflow.
      debitHoldingAccount: () => Promise.resolve('not_authorized'),
    });
    await withPayment({ isDebitAlone: true, wrap }, async (world) => {
      const { confirm, payment, workflow, sent } = world;
      await expect(confirm()).resolves.toEqual({ status: 'authorized' });
      await move(world, payment.intentId, 'fail', { actor: 'ann', reason: 'found to be failed' });
      await workflow.signal(resumeSignal);
      await expect(workflow.result()).resolves.toBe('failed');
      expect(sent).toEqual([]);
    });
  });

  it('does not fail for lack of funds if another workflow may have paid it', () =>
    withPayment({ cents: FUNDS + 1 }, async (world) => {
      const { payment, workflow, row, sent, environment } = world;
      await move(world, payment.intentId, 'authorize', { actor: 'ann', reason: 'by phone' });
      await workflow.signal(resumeSignal);
      await environment.sleep('10 seconds');
      const attention = /has too little for the debit, and the provider does not deny the payout/;
      await expect(row()).resolves.toMatchObject({
        ...{
          status: 'authorized',
          attention: expect.stringMatching(attention) as unknown,
          steps: [],
        },
      });
      await fundHoldingAccount(world.database, {
        key: 'fund:more',
        amountUsdCents: 1,
        actor: 'ann',
      });
      await workflow.signal(resumeSignal);
      await expect(workflow.result()).resolves.toBe('captured');
      expect(sent).toEqual([]);
    }));
});
