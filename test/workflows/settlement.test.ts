// What happens between confirm and the end (architecture, section 3, "Settlement"), with the real activities and
// Postgres.
import { cancelUpdate, resumeSignal } from '../../workflows/messages';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { markedInUi, shownInUi, summariesInUi } from '../support/temporal-ui';
import { move } from '../support/builders';

type Answers = NonNullable<WorldOptions['provider']>;

const UNKNOWN =
  'The outcome of the payout is unknown. It is asked about by key until the provider tells.';

/** Something that one side waits for and the other lets happen. */
function gate(): { readonly isOpen: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open };
}

async function transfersOf(world: PaymentWorld): Promise<readonly string[]> {
  const { rows } = await world.database.query<{ readonly step: string }>({
    text: `select split_part(transfer_key, ':', 2) as step from ledger_transfers
            where intent_id is not null order by created_at`,
  });
  return rows.map(({ step }) => step);
}

async function holding(world: PaymentWorld): Promise<number | undefined> {
  const { rows } = await world.database.query<{ readonly sum: number }>({
    text: 'select balance_usd_cents as sum from holding_balance',
  });
  return rows[0]?.sum;
}

describe('a confirmed payment', () => {
  it('does not begin by a token that expired while its confirm waited for a worker', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      const expiresAtMs = (await world.environment.currentTimeMs()) - 1;
      await expect(world.confirm({ ...payment, expiresAtMs })).resolves.toEqual({
        status: 'created',
      });
      await expect(world.confirm(payment, 'cd'.repeat(32))).resolves.toEqual({
        status: 'captured',
      });
      await expect(run.result()).resolves.toBe('captured');
      // The refused one woke the run: from then on its own timer waits for the deadline.
      await expect(summariesInUi(run)).resolves.toContain('The deadline to confirm');
    }));

  it('is debited, paid out once and captured', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
      await expect(run.result()).resolves.toBe('captured');
      expect(world.sent.map(({ key }) => key)).toEqual([`${payment.intentId}:payout`]);
      await expect(transfersOf(world)).resolves.toEqual(['debit', 'capture']);
      await expect(holding(world)).resolves.toBe(1_000_000 - 1_250);
    }));

  it('fails and gives the debit back when the provider declines', () =>
    inPaymentWorld({ provider: ['declined'] }, async (world) => {
      const payment = await world.create();
      await world.start(payment);
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'failed' });
      await expect(transfersOf(world)).resolves.toEqual(['debit', 'release']);
      await expect(holding(world)).resolves.toBe(1_000_000);
    }));

  it('fails without a payout when the holding account has too little', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create(1_000_001);
      await world.start(payment);
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'failed' });
      expect(world.sent).toEqual([]);
      await expect(transfersOf(world)).resolves.toEqual([]);
    }));

  it('asks by key before it sends again when the first answer was lost', async () => {
    const provider: Answers = ['unknown', 'paid'];
    await inPaymentWorld({ provider }, async (world) => {
      const payment = await world.create();
      await world.start(payment);
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
      expect(world.sent).toHaveLength(1);
    });
  });

  it('sends again under the same key when the provider does not know it', async () => {
    const provider: Answers = ['unknown', 'not_found', 'paid'];
    await inPaymentWorld({ provider }, async (world) => {
      const payment = await world.create();
      await world.start(payment);
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
      const key = `${payment.intentId}:payout`;
      expect(world.sent.map((order) => order.key)).toEqual([key, key]);
    });
  });

  it('stays authorized and asks for attention while the outcome is unknown, then captures', async () => {
    const provider: Answers = ['unknown'];
    await inPaymentWorld({ provider }, async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await expect(markedInUi(run)).resolves.toMatchObject({ needsAttention: false });
      await expect(world.confirmAndWait(payment, '20 minutes')).resolves.toEqual({
        status: 'authorized',
      });
      await expect(shownInUi(run)).resolves.toMatchObject({
        partnerId: payment.partnerId,
        corridor: 'th_qrpay',
        status: 'authorized',
        needsAttention: true,
        currentDetails: `**Needs attention:** ${UNKNOWN}`,
      });
      const { rows } = await world.database.query({
        text: 'select status, attention_reason from payment_intents',
      });
      expect(rows).toEqual([{ status: 'authorized', attention_reason: UNKNOWN }]);
      await expect(transfersOf(world)).resolves.toEqual(['debit']);
      provider.push('paid');
      await expect(run.result()).resolves.toBe('captured');
      await expect(shownInUi(run)).resolves.toMatchObject({
        status: 'captured',
        needsAttention: false,
        currentDetails: 'Finished: captured.',
      });
      await expect(transfersOf(world)).resolves.toEqual(['debit', 'capture']);
      expect(world.sent).toHaveLength(1);
    });
  });

  it('is cancelled, its debit released first, while the payout has not been sent', async () => {
    const debit = { begun: gate(), held: gate() };
    await inPaymentWorld(
      {
        isDebitAlone: true,
        wrap: (activities) => ({
          ...activities,
          debitHoldingAccount: async (...order) => {
            debit.begun.open();
            await debit.held.isOpen;
            return activities.debitHoldingAccount(...order);
          },
        }),
      },
      async (world) => {
        const payment = await world.create();
        const run = await world.start(payment);
        const confirmed = world.confirm(payment);
        await debit.begun.isOpen;
        const cancelled = await run.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
        debit.held.open();
        await expect(cancelled.result()).resolves.toEqual({ status: 'cancelled' });
        await expect(confirmed).resolves.toEqual({ status: 'cancelled' });
        expect(world.sent).toEqual([]);
        await expect(transfersOf(world)).resolves.toEqual(['debit', 'release']);
        await expect(holding(world)).resolves.toBe(1_000_000);
      },
    );
  });

  it("is not touched by an operator's native cancel", () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await run.cancel();
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
      await expect(run.result()).resolves.toBe('captured');
    }));

  it('waits, open, for operations when its row is contrary, and goes on when told', () =>
    inPaymentWorld(
      {
        isDebitAlone: true,
        wrap: (activities) => ({
          ...activities,
          // The row as a restored database would have it: behind the run.
          debitHoldingAccount: () => Promise.resolve('not_authorized'),
        }),
      },
      async (world) => {
        const payment = await world.create();
        const run = await world.start(payment);
        await expect(world.confirm(payment)).resolves.toEqual({ status: 'authorized' });
        await move(world, payment.intentId, 'fail', {
          actor: 'an operator',
          reason: 'found to be failed',
        });
        await run.signal(resumeSignal);
        await expect(run.result()).resolves.toBe('failed');
        expect(world.sent).toEqual([]);
      },
    ));
});
