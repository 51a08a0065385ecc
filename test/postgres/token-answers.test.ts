// Rule R2 for confirm: the answer is a function of the intent row and the token row (architecture, section 3;
// decisions 5 and 6).
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { TokenUse } from '../../src/domain/transition';
import { anIntent, anIntentId, aTokenUse, countOf, times, move } from '../support/builders';
import { withDatabase, withPartner } from '../support/brackets';
import { NOON, secondsAfter } from '../support/clock';

const bed = withDatabase({ poolSize: 16 });
const partner = withPartner(bed);

async function authorizedBy(token: TokenUse): Promise<PaymentIntent> {
  const intent = await anIntent(bed, partner);
  const { intentId } = intent;
  await move(bed, intentId, 'authorize', { token });
  return intent;
}

const stateOf = async ({ intentId }: PaymentIntent, token: TokenUse) =>
  (await bed.tokens.look(intentId, partner.partnerId, token.jtiHash)).token;

describe('the token that authorized the intent', () => {
  it('is answered for by exactly one of thirty concurrent callers', async () => {
    const token = aTokenUse(partner);
    const { intentId } = await authorizedBy(token);
    const answers = await times(30, (index) =>
      bed.tokens.answerConfirm(intentId, token, `req_${String(index)}`),
    );
    const given = answers.map((one) => one?.answer).sort();
    expect(given).toEqual(['accepted', ...Array.from({ length: 29 }, () => 'spent')]);
  });

  it('is unanswered until then, and answered ever after', async () => {
    const token = aTokenUse(partner);
    const intent = await authorizedBy(token);
    expect(await stateOf(intent, token)).toBe('unanswered');
    await bed.tokens.answerConfirm(intent.intentId, token, 'req_1');
    expect(await stateOf(intent, token)).toBe('answered');
  });

  it('that nobody answered for gets today’s status, whatever it is by then', async () => {
    const token = aTokenUse(partner);
    const { intentId, amountUsdCents } = await authorizedBy(token);
    await bed.funds.debit(intentId, amountUsdCents);
    const capture = { from: 'authorized', event: 'capture', actor: 'system' } as const;
    await bed.intents.transition({ ...capture, intentId });
    await expect(bed.tokens.answerConfirm(intentId, token, 'req_1')).resolves.toMatchObject({
      answer: 'accepted',
      intent: { status: 'captured' },
    });
  });
});

describe('a fresh token', () => {
  it('on an authorized intent is accepted, recorded once, and moves nothing', async () => {
    const intent = await authorizedBy(aTokenUse(partner));
    const fresh = aTokenUse(partner);
    expect(await stateOf(intent, fresh)).toBe('unused');
    const answers = await times(30, (index) =>
      bed.tokens.answerConfirm(intent.intentId, fresh, `req_${String(index)}`),
    );
    const given = answers.map((one) => one?.answer).sort();
    expect(given).toEqual(['accepted', ...Array.from({ length: 29 }, () => 'spent')]);
    expect(answers[0]?.intent.status).toBe('authorized');
    expect(await stateOf(intent, fresh)).toBe('answered');
    const uses = await countOf(bed, 'select count(*) from used_tokens where intent_id = $1', [
      intent.intentId,
    ]);
    expect(uses).toBe(2);
  });

  it('on a created intent is undecided, and stays unused', async () => {
    const intent = await anIntent(bed, partner);
    const token = aTokenUse(partner);
    const answer = await bed.tokens.answerConfirm(intent.intentId, token, 'req_1');
    expect(answer?.answer).toBe('undecided');
    expect(await stateOf(intent, token)).toBe('unused');
  });

  it.each(['captured', 'failed', 'expired', 'cancelled', 'refunded'] as const)(
    'on an intent that is %s is a conflict, and stays unused',
    async (status) => {
      const intent = await anIntent(bed, partner, { status });
      const token = aTokenUse(partner);
      const answer = await bed.tokens.answerConfirm(intent.intentId, token, 'req_1');
      expect(answer?.answer).toBe('conflict');
      expect(await stateOf(intent, token)).toBe('unused');
    },
  );
});

describe('a token spent on one intent', () => {
  it('is spent on every other of the partner’s, authorized ones included', async () => {
    const token = aTokenUse(partner);
    await authorizedBy(token);
    const other = await authorizedBy(aTokenUse(partner));
    expect(await stateOf(other, token)).toBe('elsewhere');
    const answer = await bed.tokens.answerConfirm(other.intentId, token, 'req_1');
    expect(answer?.answer).toBe('spent');
  });

  it('is not answered for by asking about another intent', async () => {
    const token = aTokenUse(partner);
    const intent = await authorizedBy(token);
    const other = await authorizedBy(aTokenUse(partner));
    await bed.tokens.answerConfirm(other.intentId, token, 'req_1');
    expect(await stateOf(intent, token)).toBe('unanswered');
  });
});

describe('an intent that does not exist', () => {
  it('has no answer, and a token bound to it is unused', async () => {
    const token = aTokenUse(partner);
    const nowhere = anIntentId();
    await expect(bed.tokens.answerConfirm(nowhere, token, 'req_1')).resolves.toBeUndefined();
    await expect(bed.tokens.look(nowhere, partner.partnerId, token.jtiHash)).resolves.toMatchObject(
      {
        intent: undefined,
        token: 'unused',
      },
    );
  });
});

// Rule R2 for cancel: the answer is a function of the intent's row (architecture, section 3; decision 25).
describe('a cancel', () => {
  const bed = withDatabase({ poolSize: 16 });
  const partner = withPartner(bed);
  beforeEach(() => bed.setNow(NOON));

  describe('a cancelled intent', () => {
    it('is told to exactly one of thirty concurrent callers; the others conflict', async () => {
      const { intentId } = await anIntent(bed, partner, { status: 'cancelled' });
      const answers = await times(30, (index) =>
        bed.intents.answerCancel(intentId, `req_${String(index)}`),
      );
      expect(answers.map(({ answer }) => answer).sort()).toEqual([
        'accepted',
        ...Array.from({ length: 29 }, () => 'conflict'),
      ]);
    });

    it('whose answer was lost is told to the repeat', async () => {
      const { intentId } = await anIntent(bed, partner, { status: 'cancelled' });
      await expect(bed.intents.answerCancel(intentId, 'req_1')).resolves.toMatchObject({
        answer: 'accepted',
        intent: { status: 'cancelled' },
      });
    });
  });

  describe('an intent that is not cancelled', () => {
    it.each(['created', 'authorized'] as const)('but %s is undecided', async (status) => {
      const { intentId } = await anIntent(bed, partner, { status });
      await expect(bed.intents.answerCancel(intentId, 'req_1')).resolves.toMatchObject({
        answer: 'undecided',
      });
    });

    it.each(['captured', 'failed', 'expired', 'refunded'] as const)(
      'but %s is a conflict',
      async (status) => {
        const { intentId } = await anIntent(bed, partner, { status });
        await expect(bed.intents.answerCancel(intentId, 'req_1')).resolves.toMatchObject({
          answer: 'conflict',
        });
      },
    );

    it('but authorized with its payout sent is a conflict', async () => {
      const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
      await bed.funds.debit(intentId, amountUsdCents);
      await bed.payoutJournal.beginAttempt(intentId);
      await expect(bed.intents.answerCancel(intentId, 'req_1')).resolves.toMatchObject({
        answer: 'conflict',
      });
    });

    it('but past its deadline and grace is a conflict, before any worker wrote expired', async () => {
      const { intentId } = await anIntent(bed, partner, { timeToLiveSeconds: 60 });
      await bed.setNow(secondsAfter(NOON, 70));
      await expect(bed.intents.answerCancel(intentId, 'req_1')).resolves.toMatchObject({
        answer: 'conflict',
        intent: { status: 'expired' },
      });
    });
  });
});
