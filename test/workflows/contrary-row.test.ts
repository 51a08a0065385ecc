// A row that ended otherwise than its run knows: nothing is overwritten, and it says itself that people must look (architecture,
// section 3, rule R1).
import { inPaymentWorld, type WorldOptions } from '../support/payment-world';
import { cancelUpdate } from '../../workflows/messages/messages';
import { createGate } from '../faults/live/gates';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { move } from '../support/builders';
import { withPayment } from './started-payment';

it('a payout that is paid beside a row that has failed is captured by nobody, and its row says that people must look', () =>
  withPayment({ wrap: failedMeanwhile }, async ({ confirm, rows }) => {
    await expect(confirm()).resolves.toEqual({ status: 'authorized' });
    await expect(
      rows('select status, attention_reason, attention_since from payment_intents'),
    ).resolves.toEqual([
      {
        status: 'failed',
        attention_reason: "capture is due, but the intent's row says failed.",
        attention_since: expect.any(Date) as unknown,
      },
    ]);
  }));

const failedMeanwhile: NonNullable<WorldOptions['wrap']> = (activities) => ({
  ...activities,
  async payOutAtOnce(request) {
    const { intentId } = request;
    // Where the row was created at another time the workflow writes the capture.
    const result = await activities.payOutAtOnce({ ...request, createdAtMs: 1 });
    const fail = { intentId, from: 'authorized', event: 'fail', actor: 'system' } as const;
    await activities.recordTransition(fail);
    return result;
  },
});

// A cancel in a run that was begun beside an authorized row, since the one before it was lost: the row does not know of a payout, but a
// restored database may have forgotten one (decision 25).
describe('a cancel beside its row', () => {
  /** What a cancel is told that is let in before the payout; then the run goes on to its end. */
  async function cancelled(
    provider: ScriptedAnswer[],
    begunAs: 'created' | 'authorized' = 'authorized',
  ) {
    const debiting = createGate();
    const wrap: WorldOptions['wrap'] = (activities) => ({
      ...activities,
      async debitHoldingAccount(...debit) {
        await debiting.isOpen;
        return activities.debitHoldingAccount(...debit);
      },
    });
    const seen: { told?: string; end?: string; steps?: unknown; sent?: number } = {};
    await inPaymentWorld({ provider, wrap }, async (world) => {
      const payment = await world.create();
      await move(world, payment.intentId, 'authorize');
      const run = await world.start({ ...payment, status: begunAs });
      const cancelling = await run.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
      debiting.open();
      // What a restored database may have forgotten could be on its way for that long.
      await world.environment.sleep('20 seconds');
      seen.told = (await cancelling.result()).status;
      seen.end = (await run.result()) as string;
      seen.steps = await world.rows(
        `select split_part(transfer_key, ':', 2) as step from ledger_transfers
          where intent_id is not null order by created_at`,
      );
      seen.sent = world.sent.length;
    });
    return seen;
  }

  it.each(['not_found', 'declined'] as const)(
    'is carried out where the provider says %s, and nothing is sent',
    async (said) => {
      await expect(cancelled([said])).resolves.toEqual({
        ...{ told: 'cancelled', end: 'cancelled', sent: 0 },
        steps: [{ step: 'debit' }, { step: 'release' }],
      });
    },
  );

  const CAPTURED = {
    ...{ told: 'authorized', end: 'captured' },
    steps: [{ step: 'debit' }, { step: 'capture' }],
  };

  it.each(['paid', 'pending', 'unknown'] as const)(
    'gives nothing back where the provider says %s: the payout is concluded',
    async (said) => {
      await expect(cancelled([said, 'paid'])).resolves.toMatchObject(CAPTURED);
    },
  );

  it('gives nothing back either where the run has found its row authorized', async () => {
    await expect(cancelled(['paid'], 'created')).resolves.toMatchObject(CAPTURED);
  });
});
