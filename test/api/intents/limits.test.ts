// The answers when a limit of the partner is reached (protocol 1.9).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { withApi } from '../../support/brackets';
import { anIntent, findExisting, times } from '../../support/builders';
import { secondsAfter, NOON } from '../../support/clock';
import { mintToken, setLimits } from '../../support/payments/partner';

const { bed, app, partner, other } = withApi({
  partner: { usdCentsPerDay: 2_000, intentsPerSecond: 3 },
});
let second = 0;
beforeEach(async () => {
  // Each test creates in a second of its own.
  second += 1;
  await bed.setNow(secondsAfter(NOON, second));
});

const tokenOf = (intent: PaymentIntent) => mintToken(partner, intent);
const DAY_IS_FULL = `{"error":"limit_exceeded","message":"The partner's limit of a day is reached."}`;

describe('a confirm above the limit of the day', () => {
  it('is 429 until midnight, and changes nothing', async () => {
    const [first, rejected] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    expect(await app.confirm(first, tokenOf(first))).toMatchObject({ status: 200 });
    const token = tokenOf(rejected);
    const reply = await app.confirm(rejected, token);
    expect([reply.status, reply.text]).toEqual([429, DAY_IS_FULL]);
    expect(reply.headers['retry-after']).toBe(String(12 * 3_600 - second));
    expect(app.rejections).toEqual([]);
    expect((await findExisting(bed, rejected.intentId)).status).toBe('created');
    // The token is unspent: with a greater limit it confirms.
    await setLimits(bed, partner, { usdCentsPerDay: 10_000 });
    expect(await app.confirm(rejected, token)).toMatchObject({ status: 200 });
    await setLimits(bed, partner, { usdCentsPerDay: 2_000 });
  });

  it('is 401 first where the token is not valid', async () => {
    const intent = await anIntent(bed, partner);
    const { status } = await app.confirm(intent, mintToken(other, intent));
    expect(status).toBe(401);
  });

  it('bounds no other partner', async () => {
    const intents = await times(3, () => anIntent(bed, other));
    for (const intent of intents) {
      expect(await app.confirm(intent, mintToken(other, intent))).toMatchObject({ status: 200 });
    }
  });
});

describe('a create above the limit of a second', () => {
  it('is 429 with Retry-After, and creates nothing', async () => {
    const replies = await times(5, () => app.create(partner));
    const rejected = replies.filter(({ status }) => status === 429);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(rejected.map(({ text }) => text)).toEqual(
      Array(2).fill(
        '{"error":"limit_exceeded","message":"The limit of intents a second is reached."}',
      ),
    );
    expect(rejected.map(({ headers }) => headers['retry-after'])).toEqual(['1', '1']);
  });
});
