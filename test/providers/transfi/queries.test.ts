// A query to TransFi by its own id: only an answer about this very payment counts.
import type { PayoutQuestion } from '../../../src/ports/payout-provider';
import { recogniseErrorsOfNode } from '../../support/builders';
import {
  answer,
  KEY,
  OTHER_KEY,
  ORDER,
  QUESTION,
  REFERENCE,
  uncertain,
  withOneAnswer,
  withoutOneOrder,
} from './one-answer';

recogniseErrorsOfNode();
const withAnswer = withOneAnswer();

const outcomeOf = (
  listener: Parameters<typeof withAnswer>[0],
  question: PayoutQuestion = QUESTION,
) => withAnswer(listener, (provider) => provider.find(question));

const SETTLED = {
  ...{ orderId: REFERENCE, partnerId: KEY, status: 'fund_settled' },
  source: { amount: '12.500001', currency: 'USDT' },
  destination: { amount: 317_500, currency: 'VND' },
  ...{ fees: '0.35', bankTxnId: ['FT25015000001'], rate: 25_400 },
};
const LOCAL = { currency: 'VND', minor: 317_500 };
const COST = { currency: 'USDT', debited: '12.850001', fee: '0.35', rate: null };
const FACTS = {
  ...{ reference: REFERENCE, orderedUsdCents: null, local: LOCAL, cost: COST },
  bankReference: 'FT25015000001',
};

describe('a query', () => {
  it('is one request with the reference', async () => {
    const seen: string[] = [];
    await outcomeOf((request, response) => {
      seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
      answer(SETTLED)(request, response);
    });
    expect(seen).toEqual([`GET /v3/orders/${REFERENCE}`]);
  });

  it.each<[string, string | null, RegExp]>([
    ['without a reference', null, /finds no order by our key/],
    ['with a reference that is a path', 'OR-1/../balance', /not an order id/],
    ['with the reference of another provider', '20250115', /not an order id/],
    ['with a reference that is too long', `OR-${'1'.repeat(126)}`, /not an order id/],
  ])('%s is unknown, and nothing is sent', async (_what, reference, why) => {
    let requests = 0;
    const count = () => (requests += 1);
    const outcome = await outcomeOf(count, { ...ORDER, reference });
    const cause = expect.stringMatching(why) as unknown;
    expect({ requests, outcome }).toEqual({ requests: 0, outcome: { outcome: 'unknown', cause } });
  });
});

describe('the answer to a query', () => {
  it('that is settled in the ordered amount is paid, with the facts', async () => {
    const paid = { outcome: 'paid', facts: FACTS };
    expect(await outcomeOf(answer(SETTLED))).toEqual(paid);
    expect(await outcomeOf(answer({ status: 'success', data: SETTLED }))).toEqual(paid);
  });

  it.each(['initiated', 'fund_processing'])('that is %s is pending', async (status) => {
    const outcome = await outcomeOf(answer({ ...SETTLED, status }));
    expect(outcome).toEqual({ outcome: 'pending', reference: REFERENCE });
  });

  it('that has failed is declined, also if it says no amount', async () => {
    const declined = { outcome: 'declined', code: 'other', reference: REFERENCE };
    const failed = { ...SETTLED, status: 'fund_failed' };
    expect(await outcomeOf(answer(failed))).toEqual(declined);
    expect(await outcomeOf(answer({ ...failed, destination: undefined }))).toEqual(declined);
    const nothing = { amount: 0, currency: 'VND' };
    expect(await outcomeOf(answer({ ...failed, destination: nothing }))).toEqual(declined);
  });

  it.each([
    ...['fund_deposited', 'asset_deposited', 'asset_settled', 'expired', 'cancelled', 'canceled'],
    ...['returned', 'refunded', 'FUND_SETTLED', 'fund_settled ', 'success', '', 4, null, undefined],
    ['fund_settled'],
  ])('with the status %j is unknown', async (status) => {
    const outcome = await outcomeOf(answer({ ...SETTLED, status }));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
  });

  it.each<[string, object]>([
    ['about another key', { partnerId: OTHER_KEY }],
    ['about our key in other letters', { partnerId: KEY.toUpperCase() }],
    ['about our key and a space', { partnerId: `${KEY} ` }],
    ['about a part of our key', { partnerId: KEY.replace(':payout', '') }],
    ['about no key', { partnerId: undefined }],
    ['about null', { partnerId: null }],
    ['about a list with our key', { partnerId: [KEY] }],
    ['about another order', { orderId: 'OR-2025011500002' }],
  ])('%s is unknown', async (_what, change) => {
    for (const status of ['initiated', 'fund_settled', 'fund_failed']) {
      const outcome = await outcomeOf(answer({ ...SETTLED, status, ...change }));
      expect(outcome).toMatchObject({ outcome: 'unknown' });
    }
  });

  it('whose key is only beside the order is unknown', async () => {
    const { partnerId, ...order } = SETTLED;
    const outcome = await outcomeOf(answer({ partnerId, data: order }));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
  });

  it('that is unpaid in another amount is unknown', async () => {
    const destination = { amount: 317_501, currency: 'VND' };
    for (const status of ['initiated', 'fund_failed']) {
      const outcome = await outcomeOf(answer({ ...SETTLED, status, destination }));
      expect(outcome).toMatchObject({ outcome: 'unknown' });
    }
  });

  it.each([...uncertain(SETTLED), ...withoutOneOrder(SETTLED)])(
    '%s is unknown',
    async (_what, listener) => {
      await expect(outcomeOf(listener)).resolves.toMatchObject({ outcome: 'unknown' });
    },
  );

  it.each([
    ['without a body', '', {}],
    ['with an error code', { code: 'NOT_FOUND', partnerId: KEY }, {}],
    ['in the form of our own protocol', { error: 'not_found', key: KEY }, {}],
    ['of a gateway', '<html>', { 'content-type': 'text/html' }],
  ])('that is a 404 %s is unknown, and never not_found', async (_what, body, headers) => {
    const outcome = await outcomeOf(answer(body, 404, headers));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
  });
});

/** The answer as text, with the destination's amount as it stands. */
const settledIn = (amount: string, currency = 'VND') =>
  JSON.stringify({ ...SETTLED, destination: { amount: 'HERE', currency } }).replace(
    '"HERE"',
    amount,
  );

describe('the amount of a settled order', () => {
  it.each([
    ['a number', '317500', LOCAL],
    ['a text', '"317500"', LOCAL],
    ['a number with zeros', '317500.00', LOCAL],
    ['a text with zeros', '"317500.0"', LOCAL],
    ['another amount', '317501', { currency: 'VND', minor: 317_501 }],
    ['another amount of the same rounding', '"317499"', { currency: 'VND', minor: 317_499 }],
  ])('as %s is a fact', async (_what, amount, local) => {
    const outcome = await outcomeOf(answer(settledIn(amount)));
    expect(outcome).toMatchObject({ outcome: 'paid', facts: { local } });
  });

  it('in baht is a fact too', async () => {
    const local = { currency: 'THB', minor: 43_125 };
    const outcome = await outcomeOf(answer(settledIn('431.25', 'THB')));
    expect(outcome).toMatchObject({ outcome: 'paid', facts: { local } });
  });

  it.each([
    ...['317500.5', '"317500.01"', '317500.000000000000000001', '3.175e5', '"3.175e5"', '0'],
    ...['-317500', '"-317500"', '"317,500"', '"317.500,00"', '" 317500"', '""', '"NaN"'],
    ...['null', 'true', '[317500]', '{"value":317500}', '31750000000000000', '"0x4d83c"'],
  ])('as %s is unreadable, and so unknown', async (amount) => {
    const outcome = await outcomeOf(answer(settledIn(amount)));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
  });

  it.each(['PHP', 'vnd', 'USD', ''])('in the currency %j is unknown', async (currency) => {
    const outcome = await outcomeOf(answer(settledIn('317500', currency)));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
  });

  it('that is missing is unknown', async () => {
    const outcome = await outcomeOf(answer({ ...SETTLED, destination: undefined }));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
  });
});

describe('the cost of a settled order', () => {
  /** @param members of the answer, as text */
  const costOf = async (members: string) => {
    const rest = JSON.stringify({ ...SETTLED, source: undefined, fees: undefined });
    const outcome = await outcomeOf(answer(`{${members},${rest.slice(1)}`));
    return outcome.outcome === 'paid' ? outcome.facts.cost : outcome;
  };
  const source = (amount: string, currency = 'USD') =>
    `"source":{"amount":${amount},"currency":"${currency}"}`;

  it.each([
    ['a number', `${source('12.5')},"fees":0.35`, '12.85', '0.35'],
    ['texts', `${source('"12.5"')},"fees":"0.35"`, '12.85', '0.35'],
    ['an object', `${source('12.5')},"fees":{"a":0.1,"b":"0.025"}`, '12.625', '0.125'],
    ['a list', `${source('12.5')},"fees":[0.1,0.2]`, '12.8', '0.3'],
    ['nothing', `${source('12.5')},"fees":0`, '12.5', '0'],
    [
      'all digits',
      `${source('0.100000000000000001')},"fees":0.200000000000000002`,
      ...(['0.300000000000000003', '0.200000000000000002'] as const),
    ],
  ])('is the source and the fees, which are %s', async (_what, members, debited, fee) => {
    expect(await costOf(members)).toEqual({ currency: 'USD', debited, fee, rate: null });
  });

  it.each([
    ['without fees', source('12.5')],
    ['with no fee in the list', `${source('12.5')},"fees":[]`],
    ['with a fee that is not a number', `${source('12.5')},"fees":{"a":{"amount":1}}`],
    ['with a negative fee', `${source('12.5')},"fees":-0.35`],
    ['with an exponent', `${source('1.25e1')},"fees":0.35`],
    ['in another currency', `${source('12.5', 'EUR')},"fees":0.35`],
    ['without a source', '"fees":0.35'],
    ['that has too many digits', `${source('9999999999999')},"fees":9999999999999`],
  ])('%s is not known, and the payment is paid all the same', async (_what, members) => {
    expect(await costOf(members)).toBeNull();
  });

  it.each([
    [['FT1', 'FT2'], 'FT1,FT2'],
    ['FT1', 'FT1'],
    [17, '17'],
    [[], null],
    [{ id: 'FT1' }, null],
    ['F'.repeat(129), null],
    [undefined, null],
  ])('has beside it the bank reference %j as %j', async (bankTxnId, bankReference) => {
    const outcome = await outcomeOf(answer({ ...SETTLED, bankTxnId }));
    expect(outcome).toMatchObject({ outcome: 'paid', facts: { bankReference } });
  });
});
