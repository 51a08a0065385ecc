// Before an order in the payee's currency is sent, the provider is asked what it would cost
// (decision 154). A failed check ends a payment only where no request can have been made.
import type { Cost, LocalAmount } from '../../src/domain/money';
import type { InquiryAnswer } from '../../src/ports/payout-provider';
import { NOT_FOUND, PENDING, REFUSED } from '../support/payments/answers';
import { aThaiCode } from '../support/payments/qr-codes';
import { withPayouts } from './payout-world';

const payouts = withPayouts();

const LOCAL: LocalAmount = { currency: 'THB', minor: 43_125 };
const usdt = (debited: string): Cost => ({
  ...({ currency: 'USDT', debited, fee: null, rate: null } as const),
});
const quoted = (cost: Cost | null, local: LocalAmount | null = LOCAL): InquiryAnswer => ({
  outcome: 'quoted',
  inquiry: { payee: null, local, cost, token: null, firmUntil: null },
});
const FAIR = quoted(usdt('12.499000001'));
const DEAR = quoted(usdt('12.500000001'));
const ABLE = { needsLocal: true, confirmsLocal: false };
const PAYABLE = { abilities: ABLE, qrPayload: aThaiCode(), local: LOCAL };
const names = ({ calls }: { readonly calls: readonly (readonly [string, unknown])[] }) =>
  calls.map(([what]) => what);

const unpaidRow = (intentId: string) =>
  payouts.rows(
    'select answer, failure_code as code, requests::int, declined_at from payouts where intent_id = $1',
    intentId as never,
  );

it('an order whose cost is within the bounds is sent after one inquiry', async () => {
  const payout = await payouts.aPayout({ ...PAYABLE, inquire: FAIR });
  await expect(payout.payOutAtOnce()).resolves.toEqual({ outcome: 'not_sent' });
  await expect(payout.payOut()).resolves.toMatchObject({ outcome: 'paid' });
  expect(names(payout)).toEqual([...['begin', 'inquire th_qrpay', 'record'], ...['pay th_qrpay']]);
  expect(payout.calls[1]?.[1]).toEqual({ local: LOCAL, qrPayload: PAYABLE.qrPayload });
});

it.each<[string, InquiryAnswer, string]>([
  ['a cost above the bound by less than a cent', DEAR, 'rate_expired'],
  ['a cost far below the payment', quoted(usdt('12.37')), 'rate_expired'],
  ['another amount', quoted(usdt('12.50'), { ...LOCAL, minor: 43_126 }), 'amount_differs'],
  [
    'another currency',
    quoted(usdt('12.50'), { ...LOCAL, currency: 'VND' }),
    ...(['amount_differs'] as const),
  ],
  ['a refusal', { outcome: 'refused', code: 'payee_closed' }, 'payee_closed'],
])('%s ends the payment unsent', async (_what, inquire, code) => {
  const payout = await payouts.aPayout({ ...PAYABLE, inquire });
  await expect(payout.payOut()).resolves.toMatchObject({ outcome: 'declined' });
  expect(names(payout)).toEqual(['begin', 'inquire th_qrpay']);
  await expect(unpaidRow(payout.intent.intentId)).resolves.toEqual([
    { answer: 'unpaid', code, requests: 0, declined_at: null },
  ]);
});

it('an order without a code or an amount ends unsent and without an inquiry', async () => {
  const payout = await payouts.aPayout({ abilities: ABLE, inquire: FAIR });
  await expect(payout.payOut()).resolves.toMatchObject({ outcome: 'declined' });
  expect(names(payout)).toEqual(['begin']);
});

it.each<[string, InquiryAnswer, RegExp]>([
  ['no answer', { outcome: 'unknown', cause: 'timeout after 5 s' }, /timeout after 5 s/],
  ['no cost', quoted(null), /does not say what it costs/],
  ['a refusal that passes', REFUSED, /refuses: insufficient_balance/],
  ['a refusal without a cause', { outcome: 'refused', code: 'other' }, /refuses: other/],
  ['an answer without the amount', quoted(usdt('12.50'), null), /does not repeat the amount/],
])(
  '%s is inquired again, and the order is sent once the cost is known',
  async (_what, inquire, why) => {
    const payout = await payouts.aPayout({ ...PAYABLE, inquire, find: NOT_FOUND });
    await expect(payout.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown', message: why });
    payout.answers.inquire = FAIR;
    await expect(payout.payOut()).resolves.toMatchObject({ outcome: 'paid' });
    expect(names(payout).slice(2)).toEqual([
      ...['begin', 'find th_qrpay', 'inquire th_qrpay', 'record'],
      ...['pay th_qrpay'],
    ]);
  },
);

describe('a provider that was silent until attention was raised', () => {
  const silent = { outcome: 'unknown', cause: 'timeout after 5 s' } as const;
  const abilities = { ...ABLE, repeat: 'unsafe', notFoundIsProof: false } as const;
  const aSilentOne = async (sentSecondsAgo?: number) => {
    const inquired = { ...PAYABLE, abilities, inquire: silent, find: silent };
    const payout = await payouts.aPayout({
      ...inquired,
      ...(sentSecondsAgo && { sentSecondsAgo }),
    });
    await expect(payout.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    await payouts.setSecondsAfterNoon(900);
    return payout;
  };

  it('is sent the order once it answers, if no order can have been sent before', async () => {
    const payout = await aSilentOne();
    await expect(payout.payOut()).resolves.toEqual({ outcome: 'unknown', isUnsent: true });
    Object.assign(payout.answers, { inquire: FAIR, find: NOT_FOUND });
    const slowly = { isAttentionRaised: true };
    await expect(payout.payOut(slowly)).resolves.toMatchObject({ outcome: 'paid' });
    expect(names(payout).filter((name) => name === 'pay th_qrpay')).toHaveLength(1);
  });

  it.each([
    ['a request is recorded', 6, {}],
    ['one may have been forgotten', undefined, { mayHaveBeenSent: true }],
  ])('is sent none if %s', async (_why, sentSecondsAgo, change) => {
    const payout = await aSilentOne(sentSecondsAgo);
    const unknown = { outcome: 'unknown', isUnsent: false };
    await expect(payout.payOut(change)).resolves.toEqual(unknown);
  });

  it('is not called unsent by the answer that says pending', async () => {
    const payout = await aSilentOne();
    Object.assign(payout.answers, { find: PENDING });
    await payouts.setSecondsAfterNoon(3_600);
    const pending = { outcome: 'pending', isUnsent: false };
    await expect(payout.payOut()).resolves.toEqual(pending);
  });

  it('is not called unsent by the attempt that sends and is not answered', async () => {
    const payout = await aSilentOne();
    Object.assign(payout.answers, { inquire: FAIR, find: NOT_FOUND, pay: silent });
    const unknown = { outcome: 'unknown', isUnsent: false };
    await expect(payout.payOut()).resolves.toEqual(unknown);
  });
});

describe('after a request a failed check forbids another one, and the query decides', () => {
  const sentBefore = (abilities = {}) =>
    payouts.aPayout({
      ...{ ...PAYABLE, inquire: DEAR, find: NOT_FOUND, sentSecondsAgo: 6 },
      abilities: { ...ABLE, ...abilities },
    });

  it('a denial that is no proof leaves the payment open', async () => {
    const payout = await sentBefore({ notFoundIsProof: false });
    await expect(payout.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(names(payout)).toEqual(['begin', 'find th_qrpay', 'inquire th_qrpay']);
    expect(payout.answered).toEqual([]);
  });

  it('two denials that are proof end it', async () => {
    const payout = await sentBefore();
    await expect(payout.payOut()).resolves.toMatchObject({ outcome: 'declined' });
    expect(names(payout)).toEqual([
      ...['begin', 'find th_qrpay', 'inquire th_qrpay'],
      ...['find th_qrpay'],
    ]);
  });
});

it('ends a payment only if the provider denies the key too, once it is no first attempt', async () => {
  const silent = { outcome: 'unknown', cause: 'found by its own id only' } as const;
  const abilities = { ...ABLE, findsByKey: false };
  const payout = await payouts.aPayout({ ...PAYABLE, abilities, inquire: silent, find: silent });
  await expect(payout.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
  payout.answers.inquire = DEAR;
  await payouts.setSecondsAfterNoon(6);
  await expect(payout.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
  expect(names(payout)).not.toContain('pay th_qrpay');
  expect(payout.answered).toEqual([]);
});

it('a row that may have forgotten a request does not end by a failed check', async () => {
  const payout = await payouts.aPayout({ ...PAYABLE, inquire: DEAR, find: NOT_FOUND });
  const attemptAt = async (seconds: number) => {
    await payouts.setSecondsAfterNoon(seconds);
    return payout.payOut({ mayHaveBeenSent: true }).catch((error: unknown) => error);
  };
  await expect(attemptAt(0)).resolves.toMatchObject({ type: 'PayoutUnknown' });
  await expect(attemptAt(6)).resolves.toMatchObject({ outcome: 'declined' });
  const twiceDenied = ['begin', 'find th_qrpay', 'inquire th_qrpay', 'find th_qrpay'];
  expect(names(payout).slice(-4)).toEqual(twiceDenied);
  await expect(unpaidRow(payout.intent.intentId)).resolves.toMatchObject([{ code: null }]);
});
