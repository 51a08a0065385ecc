// Rule R2 for cancel: the answer is a function of the intent's row (architecture, section 3; decision 25).
import { anIntent, openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed({ poolSize: 16 });
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
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
