// Rule R2: the answer to a confirm is a function of the intent row and the token row, the answer to
// a cancel a function of the intent row (architecture, section 3; decisions 5, 6 and 25). Tests
// through the API are in test/api/intents.
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { TokenUse } from '../../../src/domain/intents/transition';
import {
  aDebitedIntent,
  anIntent,
  anIntentId,
  aTokenUse,
  countOf,
  move,
  times,
} from '../../support/builders';
import { withDatabase, withPartner } from '../../support/brackets';
import { NOON, secondsAfter } from '../../support/clock';
import { recordSent } from '../../support/payments/payouts';

const bed = withDatabase({ poolSize: 16 });
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const oneOfThirty = (first: string, other: string) => [first, ...Array<string>(29).fill(other)];

async function authorizedBy(token: TokenUse): Promise<PaymentIntent> {
  const intent = await anIntent(bed, partner);
  await move(bed, intent.intentId, 'authorize', { token });
  return intent;
}

const stateOf = async ({ intentId }: PaymentIntent, token: TokenUse) =>
  (await bed.tokens.readToken(intentId, partner.partnerId, token.jtiHash)).token;
const answersTo = async ({ intentId }: PaymentIntent, token: TokenUse) => {
  const answers = await times(30, (nth) =>
    bed.tokens.answerConfirm(intentId, token, `req_${String(nth)}`),
  );
  return answers.map((one) => one?.answer).sort();
};

describe('the token that authorized the intent', () => {
  it('is accepted for exactly one of thirty concurrent requests', async () => {
    const token = aTokenUse(partner);
    const intent = await authorizedBy(token);
    expect(await stateOf(intent, token)).toBe('unanswered');
    expect(await answersTo(intent, token)).toEqual(oneOfThirty('accepted', 'spent'));
    expect(await stateOf(intent, token)).toBe('answered');
  });
});

describe('a fresh token', () => {
  it('on an authorized intent is accepted, recorded once, and changes no status', async () => {
    const intent = await authorizedBy(aTokenUse(partner));
    const fresh = aTokenUse(partner);
    expect(await stateOf(intent, fresh)).toBe('unused');
    expect(await answersTo(intent, fresh)).toEqual(oneOfThirty('accepted', 'spent'));
    expect(await stateOf(intent, fresh)).toBe('answered');
    const { status } = await bed.intents.readCurrentState(intent.intentId);
    const text = 'select count(*) from used_tokens where intent_id = $1';
    expect([status, await countOf(bed, text, [intent.intentId])]).toEqual(['authorized', 2]);
  });

  it('on a created intent is undecided, and stays unused', async () => {
    const [intent, token] = [await anIntent(bed, partner), aTokenUse(partner)];
    const answer = await bed.tokens.answerConfirm(intent.intentId, token, 'req_1');
    expect([answer?.answer, await stateOf(intent, token)]).toEqual(['undecided', 'unused']);
  });
});

describe('a token spent on one intent', () => {
  it('is spent on every other intent of the partner, and stays unanswered there', async () => {
    const token = aTokenUse(partner);
    const [intent, other] = [await authorizedBy(token), await authorizedBy(aTokenUse(partner))];
    expect(await stateOf(other, token)).toBe('elsewhere');
    const answer = await bed.tokens.answerConfirm(other.intentId, token, 'req_1');
    expect([answer?.answer, await stateOf(intent, token)]).toEqual(['spent', 'unanswered']);
  });
});

it('an intent that does not exist has no answer', async () => {
  const answer = bed.tokens.answerConfirm(anIntentId(), aTokenUse(partner), 'req_1');
  await expect(answer).resolves.toBeUndefined();
});

describe('a cancel', () => {
  const answerTo = ({ intentId }: PaymentIntent, requestId = 'req_1') =>
    bed.intents.answerCancel(intentId, requestId);

  it('of an intent that is not in Postgres has no answer', async () => {
    await expect(
      answerTo({ ...(await anIntent(bed, partner)), intentId: anIntentId() }),
    ).resolves.toBeUndefined();
  });

  it('of a cancelled intent is accepted for one of thirty requests and its repeat', async () => {
    const intent = await anIntent(bed, partner, { status: 'cancelled' });
    const answers = await times(30, (nth) => answerTo(intent, `req_${String(nth)}`));
    const given = answers.map((one) => one?.answer ?? 'none');
    expect(given.toSorted()).toEqual(oneOfThirty('accepted', 'conflict'));
    const again = await answerTo(intent, `req_${String(given.indexOf('accepted'))}`);
    expect(again).toMatchObject({ answer: 'accepted', intent: { status: 'cancelled' } });
  });

  it.each([
    ...(['created', 'authorized'] as const).map((status) => [status, 'undecided'] as const),
    ...(['captured', 'failed', 'expired', 'refunded'] as const).map(
      (status) => [status, 'conflict'] as const,
    ),
  ])('of an intent that is %s is %s', async (status, answer) => {
    const intent = await anIntent(bed, partner, { status });
    await expect(answerTo(intent)).resolves.toMatchObject({ answer });
  });

  it('of an authorized intent whose payout was sent is a conflict', async () => {
    const intent = await aDebitedIntent(bed, partner);
    await recordSent(bed, intent.intentId);
    await expect(answerTo(intent)).resolves.toMatchObject({ answer: 'conflict' });
  });

  it('past deadline and grace is a conflict, before any worker wrote expired', async () => {
    const intent = await anIntent(bed, partner, { timeToLiveSeconds: 60 });
    await bed.setNow(secondsAfter(NOON, 70));
    const expired = { answer: 'conflict', intent: { status: 'expired' } };
    await expect(answerTo(intent)).resolves.toMatchObject(expired);
  });
});
