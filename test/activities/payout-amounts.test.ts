// What was paid is compared with what was ordered: cents with cents, and what the payee gets
// exactly (decision 151).
import type { LocalAmount } from '../../src/domain/money';
import type { PayoutFacts, PayoutOutcome } from '../../src/ports/payout-provider';
import { factsOf } from '../support/payments/answers';
import { aThaiCode } from '../support/payments/qr-codes';
import { CENTS, withPayouts } from './payout-world';

const payouts = withPayouts();

const baht = (minor: number): LocalAmount => ({ currency: 'THB', minor });
const CODE = aThaiCode();
const SILENT_ABOUT_CENTS = { ...factsOf(CENTS), orderedUsdCents: null };

interface Paid {
  readonly facts: Partial<PayoutFacts>;
  /** In the code; without it the order is in cents. */
  readonly local?: LocalAmount;
  readonly confirmsLocal?: boolean;
}

async function paid({ facts, local, confirmsLocal = true }: Paid) {
  const answer = { outcome: 'paid', facts: { ...SILENT_ABOUT_CENTS, ...facts } } as const;
  const world = await payouts.aPayout({
    ...{ pay: answer, find: answer, abilities: { confirmsLocal } },
    ...(local !== undefined && { qrPayload: CODE, local }),
  });
  return { ...world, result: await world.payOutAtOnce() };
}

it.each<[string, Paid, object]>([
  ['cents', { facts: { orderedUsdCents: CENTS } }, { outcome: 'paid' }],
  [
    'the payee\u2019s amount',
    { facts: { local: baht(43_125) }, local: baht(43_125) },
    { outcome: 'paid' },
  ],
  [
    'neither, by a provider that repeats none, for an order in baht',
    { facts: {}, local: baht(43_125), confirmsLocal: false },
    { outcome: 'paid' },
  ],
])('a payment that repeats %s is captured', async (_what, given, expected) => {
  const { result, answered } = await paid(given);
  expect(result).toMatchObject({ ...expected, captured: { status: 'captured' } });
  expect(answered).toEqual([]);
});

it.each<[string, Paid, string, string]>([
  [
    'one satang less',
    { facts: { local: baht(43_124) }, local: baht(43_125) },
    '431.24 THB',
    '431.25 THB',
  ],
  [
    'another currency',
    { facts: { local: { currency: 'VND', minor: 43_125 } }, local: baht(43_125) },
    ...(['43125 VND', '431.25 THB'] as const),
  ],
  [
    'equal cents and other baht',
    { facts: { orderedUsdCents: CENTS, local: baht(1) }, local: baht(43_125) },
    ...(['0.01 THB', '431.25 THB'] as const),
  ],
])('%s is not captured', async (_what, given, reported, ordered) => {
  const { result, answered } = await paid(given);
  expect(result).toMatchObject({ outcome: 'amount_mismatch', reported, ordered });
  expect(answered).toEqual(['amount_mismatch']);
});

it.each<[string, Paid]>([
  ['an order in cents', { facts: {}, confirmsLocal: false }],
  ['an order in cents, by baht alone', { facts: { local: baht(43_125) } }],
  ['baht that the provider should repeat', { facts: {}, local: baht(43_125) }],
  [
    'baht that it should repeat beside equal cents',
    { facts: { orderedUsdCents: CENTS }, local: baht(43_125) },
  ],
])('paid in an amount that nobody says, for %s, is an acceptance only', async (_what, given) => {
  const { result, answered } = await paid(given);
  expect(result).toEqual({ outcome: 'undecided' });
  expect(answered).toEqual(['pending']);
});

describe('the cost', () => {
  const costing = (debited: string): PayoutOutcome => {
    const cost = { currency: 'USDT', debited, fee: '0.3', rate: '34.5' } as const;
    return { outcome: 'paid', facts: { ...factsOf(CENTS), cost } };
  };

  it.each([
    ['12.5', []],
    [
      '12.500000000000000001',
      ['The payout cost 12.500000000000000001 USDT; its bound is 12.50 USD.'],
    ],
  ])('of %s for 12.50 USD is captured, and raises %j', async (debited, sentences) => {
    const pay = costing(debited);
    const { payOutAtOnce, intent } = await payouts.aPayout({ pay });
    await expect(payOutAtOnce()).resolves.toMatchObject({ captured: { status: 'captured' } });
    const rows = await payouts.rows(
      `select a.sentence from attention a where intent_id = $1 and kind = 'cost' and ended_at is null`,
      intent.intentId,
    );
    expect(rows.map(({ sentence }) => sentence)).toEqual(sentences);
    await expect(
      payouts.rows(
        `select cost_currency, cost_debited, cost_fee, cost_rate, account, max_cost_usd_cents
           from payouts where intent_id = $1`,
        intent.intentId,
      ),
    ).resolves.toEqual([
      {
        ...{ cost_currency: 'USDT', cost_debited: debited, cost_fee: '0.3', cost_rate: '34.5' },
        ...{ account: 'main', max_cost_usd_cents: CENTS },
      },
    ]);
  });
});
