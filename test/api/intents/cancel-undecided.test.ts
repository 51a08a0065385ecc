// A run that refuses a cancel because it has begun to pay out is a moment ahead of its rows (decisions 25 and 124): the API
// looks again for that moment, and says 503 only when it is over.
import type { IntentId } from '../../../src/domain/ids';
import type { CancelAnswer } from '../../../src/ports/intent-store';
import type { PaymentRunner } from '../../../src/ports/payment-runner';
import { pathOf, startApp } from '../../support/app';
import { withDatabase, withPartner } from '../../support/brackets';
import { anIntent, move } from '../../support/builders';
import { recordSent } from '../../support/payments/payouts';

const bed = withDatabase();
const partner = withPartner(bed);

type Told = Awaited<ReturnType<PaymentRunner['cancel']>>;

/** What a cancel is answered by an API whose run says that, and to whose looks at the row something happens. */
async function cancelledWhile(
  told: Told,
  afterLook: (looks: number, id: IntentId) => Promise<unknown>,
) {
  const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
  await bed.funds.debit(intentId, amountUsdCents);
  const answers: CancelAnswer['answer'][] = [];
  const app = await startApp(bed, {
    runner: {
      begin: () => undefined,
      confirm: () => Promise.resolve(told),
      cancel: () => Promise.resolve(told),
    },
    aroundIntents: (intents) => ({
      ...intents,
      async answerCancel(id, requestId) {
        const seen = await intents.answerCancel(id, requestId);
        if (seen !== undefined) answers.push(seen.answer);
        await afterLook(answers.length, id);
        return seen;
      },
    }),
  });
  const cancel = { method: 'POST', path: pathOf({ intentId }, 'cancel') };
  const { status, headers } = await app.sendSigned(partner, cancel);
  await app.close();
  return { status, retryAfter: headers['retry-after'], answers };
}

it('is 409 once the payout is recorded, and not 503', async () => {
  const reply = await cancelledWhile('answered', async (looks, id) => {
    if (looks === 2) await recordSent(bed, id);
  });
  expect(reply).toEqual({
    ...{ status: 409, retryAfter: undefined },
    answers: ['undecided', 'undecided', 'conflict'],
  });
});

it('is 200 when the payment is cancelled after all', async () => {
  const reply = await cancelledWhile('answered', async (looks, intentId) => {
    if (looks === 1) await move(bed, intentId, 'cancel', { from: 'authorized' });
  });
  expect(reply).toMatchObject({ status: 200, answers: ['undecided', 'accepted'] });
});

it('is 503 with Retry-After when the rows never say, after seven looks', async () => {
  const reply = await cancelledWhile('answered', () => Promise.resolve());
  expect(reply).toMatchObject({ status: 503, retryAfter: '1' });
  expect(reply.answers).toHaveLength(7);
});

it.each(['no_answer', 'busy'] as const)(
  'is looked at once when the run says %s: nobody knows of a decision to wait for',
  async (told) => {
    const reply = await cancelledWhile(told, () => Promise.resolve());
    expect(reply).toMatchObject({ status: 503, answers: ['undecided'] });
  },
);
