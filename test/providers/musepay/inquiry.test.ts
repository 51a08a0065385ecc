// An inquiry at MusePay: the cost of a code, which moves no money.
import { failed, INQUIRY, json, withMusePay } from './answering';

const musePayWith = withMusePay();

/** The documented answer, with changes. */
const info = (change: object = {}) => ({
  ...{ code: '200', message: 'success' },
  data: {
    ...{ qrcode_type: 'prompt_pay', amount: '32', currency: 'THB' },
    ...{ order_amount: '1.0043942247', order_currency: 'USDT' },
    ...{ fee_amount: '1', fee_currency: 'USDT', exchange_rate: '31.86' },
    ...{ beneficiary_name: null, account_type: null, bank_code: null, bank_name: null },
    ...change,
  },
});
const QUOTED = {
  ...{ payee: null, local: INQUIRY.local, token: null, firmUntil: null },
  cost: { currency: 'USDT', debited: '2.0043942247', fee: '1', rate: '31.86' },
};

const inquired = (body: unknown, local = INQUIRY.local) =>
  musePayWith(json(body), async (musePay) => musePay.inquire?.({ ...INQUIRY, local }));

it('says the amount of the payee and the cost, and is firm for no time', async () => {
  expect(await inquired(info())).toEqual({ outcome: 'quoted', inquiry: QUOTED });
});

it('reads amounts that are numbers, with all digits', async () => {
  const text = JSON.stringify(info()).replace(/("\w+_(?:amount|rate)":)"([^"]+)"/g, '$1$2');
  expect(text).toContain('"order_amount":1.0043942247,');
  expect(await inquired(text)).toEqual({ outcome: 'quoted', inquiry: QUOTED });
});

it.each([
  ['nothing', '', '', null],
  ['a name', 'SOMCHAI', '', { name: 'SOMCHAI', nameFrom: null, bank: null }],
  ['a name and a bank', 'SOMCHAI', 'KBANK', { name: 'SOMCHAI', nameFrom: null, bank: 'KBANK' }],
])('says of the payee %s', async (_what, beneficiary_name, bank_name, payee) => {
  const answer = await inquired(info({ beneficiary_name, bank_name }));
  expect(answer).toMatchObject({ outcome: 'quoted', inquiry: { payee } });
});

it.each([
  ['without an amount', { amount: null }, null],
  ['with an empty amount', { amount: '' }, null],
  ['with an amount', { amount: '431.25' }, { currency: 'THB', minor: 43_125 }],
])('of a code that has no amount may be answered %s', async (_what, change, local) => {
  const answer = await inquired(info(change), null);
  expect(answer).toMatchObject({ outcome: 'quoted', inquiry: { local } });
});

it.each([
  ['no fee', { fee_amount: null }],
  ['no order amount', { order_amount: null }],
  ['another currency of the order', { order_currency: 'USD' }],
  ['another currency of the fee', { fee_currency: 'THB' }],
])('says no cost with %s', async (_what, change) => {
  expect(await inquired(info(change))).toMatchObject({ inquiry: { cost: null } });
});

it('says no rate without one', async () => {
  const answer = await inquired(info({ exchange_rate: '' }));
  expect(answer).toMatchObject({ inquiry: { cost: { rate: null } } });
});

it.each([
  [202_206, 'below_limit'],
  [202_212, 'below_limit'],
  [5_004, 'compliance'],
  [7_002, 'other'],
  [406, 'other'],
])('with code %d is refused as %s', async (number, code) => {
  expect(await inquired(failed(number))).toEqual({ outcome: 'refused', code });
});

it.each([
  ['another', '32.01', { currency: 'THB', minor: 3_201 }],
  ['no', null, null],
])('names %s amount, for the check of the order', async (_what, amount, local) => {
  expect(await inquired(info({ amount }))).toMatchObject({ outcome: 'quoted', inquiry: { local } });
});

it.each([
  ['an amount with a third decimal', info({ amount: '32.001' })],
  ['an amount with an exponent', info({ amount: '3.2e1' })],
  ['another currency', info({ currency: 'VND' })],
  ['no currency', info({ currency: null })],
  ['a rate with an exponent', info({ exchange_rate: '3e1' })],
  ['a name that is an object', info({ beneficiary_name: { first: 'SOMCHAI' } })],
  ['a name of 129 characters', info({ beneficiary_name: 'x'.repeat(129) })],
  ['a duplicate', failed(202_224)],
  ['an unknown order', failed(7_000)],
])('is unknown for %s', async (_what, body) => {
  expect(await inquired(body)).toMatchObject({ outcome: 'unknown' });
});
