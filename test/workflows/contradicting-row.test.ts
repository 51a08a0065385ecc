// A row that contradicts its workflow: nothing is overwritten, and the row needs attention
// (architecture, section 3, rule R1).
import type { IntentId } from '../../src/domain/ids';
import { inPaymentWorld, type WorldOptions } from '../support/payment-world';
import { cancelUpdate } from '../../workflows/messages/messages';
import { createLatch } from '../faults/live/latch';
import type { ScriptedAnswer } from '../support/payments/scripted-provider';
import { move } from '../support/builders';
import { withPayment } from './started-payment';

it('a paid payout whose row has failed is not captured, and its row needs attention', () =>
  withPayment({ wrap: failedMeanwhile }, async ({ confirm, rows, environment }) => {
    const confirming = confirm();
    await environment.sleep('1 minute');
    await expect(confirming).resolves.toEqual({ status: 'authorized' });
    await expect(
      rows(`select i.status, a.kind, a.sentence, i.attention_since
              from payment_intents i join attention a using (intent_id)`),
    ).resolves.toEqual([
      {
        status: 'failed',
        kind: 'row_contradicts',
        sentence: "capture is due, but the intent's row says failed.",
        attention_since: expect.any(Date) as unknown,
      },
    ]);
  }));

const failedMeanwhile: NonNullable<WorldOptions['wrap']> = (activities, _setClock, bed) => {
  let moved: Promise<unknown> | undefined;
  const failOnce = (intentId: IntentId) =>
    (moved ??= move(bed, intentId, 'fail', { actor: 'ann' }));
  return {
    ...activities,
    // It may exceed its short timeout on a busy machine, so the payout begins in the later attempt.
    payOutAtOnce: () => Promise.resolve({ outcome: 'not_sent' }),
    async payOut(request) {
      // With another creation time the activity leaves the capture to the workflow.
      const result = await activities.payOut({ ...request, createdAtMs: 1 });
      await failOnce(request.intentId);
      return result;
    },
  };
};

// The workflow starts for an authorized row because an earlier one was lost. The row has no payout,
// but a restored database may have lost one (decision 25).
describe('a cancel in a workflow that did not authorize its payment', () => {
  /** Cancels before the payout, and waits for the workflow. */
  async function cancelBeforePayout(
    provider: ScriptedAnswer[],
    startedAs: 'created' | 'authorized' = 'authorized',
  ) {
    const debiting = createLatch();
    const wrap: WorldOptions['wrap'] = (activities) => ({
      ...activities,
      async debitHoldingAccount(...debit) {
        await debiting.isOpen;
        return activities.debitHoldingAccount(...debit);
      },
    });
    const seen: { reply?: string; result?: string; steps?: unknown; sent?: number } = {};
    await inPaymentWorld({ provider, wrap }, async (world) => {
      const payment = await world.create();
      await move(world, payment.intentId, 'authorize');
      const workflow = await world.start({ ...payment, status: startedAs });
      const cancelling = await workflow.startUpdate(cancelUpdate, { waitForStage: 'ACCEPTED' });
      debiting.open();
      // The cancel waits until no request of a lost attempt can arrive any more.
      await world.environment.sleep('20 seconds');
      seen.reply = (await cancelling.result()).status;
      seen.result = (await workflow.result()) as string;
      seen.steps = await world.rows(
        `select split_part(transfer_key, ':', 2) as step from ledger_transfers
          where intent_id is not null order by created_at`,
      );
      seen.sent = world.sent.length;
    });
    return seen;
  }

  it.each(['not_found', 'declined'] as const)(
    'is accepted if the provider answers %s, and nothing is sent',
    async (answer) => {
      await expect(cancelBeforePayout([answer])).resolves.toEqual({
        ...{ reply: 'cancelled', result: 'cancelled', sent: 0 },
        steps: [{ step: 'debit' }, { step: 'release' }],
      });
    },
  );

  const CAPTURED = {
    ...{ reply: 'authorized', result: 'captured' },
    steps: [{ step: 'debit' }, { step: 'capture' }],
  };

  it.each(['paid', 'pending', 'unknown'] as const)(
    'releases no debit if the provider answers %s: the payout is captured',
    async (answer) => {
      await expect(cancelBeforePayout([answer, 'paid'])).resolves.toMatchObject(CAPTURED);
    },
  );

  it('releases no debit either if the workflow started as created', async () => {
    await expect(cancelBeforePayout(['paid'], 'created')).resolves.toMatchObject(CAPTURED);
  });
});
