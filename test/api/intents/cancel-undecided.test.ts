// A workflow that rejects a cancel because its payout has begun answers a moment before its rows
// show it (decisions 25 and 124). The API reads the rows again for that moment before it answers
// 503.
import type { IntentId } from '../../../src/domain/ids';
import type { CancelAnswer, PaymentRunner } from '../../../src/ports/intents';
import { pathOf, startApp } from '../../support/app';
import { withDatabase, withPartner } from '../../support/brackets';
import { anIntent, move } from '../../support/builders';
import { recordSent } from '../../support/payments/payouts';

const bed = withDatabase();
const partner = withPartner(bed);

type RunnerAnswer = Awaited<ReturnType<PaymentRunner['cancel']>>;

/** Cancels while the workflow answers this. `afterRead` runs after each read of the rows. */
async function cancelledWhile(
  runnerAnswer: RunnerAnswer,
  afterRead: (reads: number, id: IntentId) => Promise<unknown>,
) {
  const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
  await bed.funds.debit(intentId, amountUsdCents);
  const answers: CancelAnswer['answer'][] = [];
  const app = await startApp(bed, {
    runner: {
      begin: () => undefined,
      confirm: () => Promise.resolve(runnerAnswer),
      cancel: () => Promise.resolve(runnerAnswer),
    },
    aroundIntents: (intents) => ({
      ...intents,
      async answerCancel(id, requestId) {
        const read = await intents.answerCancel(id, requestId);
        if (read !== undefined) answers.push(read.answer);
        await afterRead(answers.length, id);
        return read;
      },
    }),
  });
  const cancel = { method: 'POST', path: pathOf({ intentId }, 'cancel') };
  const { status, headers } = await app.sendSigned(partner, cancel);
  await app.close();
  return { status, retryAfter: headers['retry-after'], answers };
}

it('a cancel is 409 once the payout is recorded, and not 503', async () => {
  const reply = await cancelledWhile('answered', async (reads, id) => {
    if (reads === 2) await recordSent(bed, id);
  });
  expect(reply).toEqual({
    ...{ status: 409, retryAfter: undefined },
    answers: ['undecided', 'undecided', 'conflict'],
  });
});

it('a cancel is 200 when the payment is cancelled after all', async () => {
  const reply = await cancelledWhile('answered', async (reads, intentId) => {
    if (reads === 1) await move(bed, intentId, 'cancel', { from: 'authorized' });
  });
  expect(reply).toMatchObject({ status: 200, answers: ['undecided', 'accepted'] });
});

it('a cancel is 503 with Retry-After when the rows stay undecided for seven reads', async () => {
  const reply = await cancelledWhile('answered', () => Promise.resolve());
  expect(reply).toMatchObject({ status: 503, retryAfter: '1' });
  expect(reply.answers).toHaveLength(7);
});

it.each(['no_answer', 'busy'] as const)(
  'the rows are read once when the runner answers %s, because no decision is expected',
  async (runnerAnswer) => {
    const reply = await cancelledWhile(runnerAnswer, () => Promise.resolve());
    expect(reply).toMatchObject({ status: 503, answers: ['undecided'] });
  },
);
