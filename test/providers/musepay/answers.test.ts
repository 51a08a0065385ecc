// What each documented answer of MusePay means for a payment.
import {
  failed,
  found,
  IN_TIME,
  json,
  ORDER,
  submitted,
  withMusePay,
  type Answer,
} from './answering';

const musePayWith = withMusePay();
const paidFor = (answer: Answer) => musePayWith(answer, (musePay) => musePay.pay(ORDER, IN_TIME));
const foundFor = (answer: Answer) => musePayWith(answer, (musePay) => musePay.find(ORDER));

describe('an order', () => {
  it.each([11, 22, 44, 88, 99, 7])(
    'that is taken is pending, whatever its status: %d',
    async (status) => {
      const outcome = await paidFor(json(submitted({ status })));
      expect(outcome).toEqual({ outcome: 'pending', reference: 'MP1' });
    },
  );

  it.each([
    ['a code that is text', { ...submitted(), code: '200' }],
    ['the number in the other spelling', submitted({ orderNo: undefined, order_no: 'MP1' })],
    ['the number in both spellings', submitted({ order_no: 'MP1' })],
    ['a null beside the number', submitted({ order_no: null })],
    ['our id', submitted({ request_id: '01h2xcejqtf2nbrexx3vqjhp41' })],
    ['other members', { ...submitted({ fee: { amount: 1 } }), trace: [1] }],
  ])('is pending with %s', async (_what, body) => {
    expect(await paidFor(json(body))).toEqual({ outcome: 'pending', reference: 'MP1' });
  });

  it('keeps all digits of a number of the order that is no text', async () => {
    const text = '{"code":200,"data":{"orderNo":20220930200006000110630332041,"status":22}}';
    const outcome = await paidFor(json(text));
    expect(outcome).toEqual({ outcome: 'pending', reference: '20220930200006000110630332041' });
  });

  it.each([
    [202_203, 'insufficient_balance'],
    [202_206, 'below_limit'],
    [202_212, 'below_limit'],
    [5_004, 'compliance'],
    [7_002, 'other'],
    [202_211, 'other'],
    [2_204_002, 'other'],
    [406, 'other'],
    [412, 'other'],
  ])('with code %d is refused as %s, whatever the HTTP status', async (number, code) => {
    for (const status of [200, 400, 401, 403, 404, 429, 500]) {
      const refused = { outcome: 'refused', code };
      expect(await paidFor(json(failed(number), status))).toEqual(refused);
      expect(await paidFor(json(failed(String(number)), status))).toEqual(refused);
    }
  });

  it.each([202_224, '202224'])('with code %p is a duplicate', async (code) => {
    expect(await paidFor(json(failed(code)))).toEqual({ outcome: 'duplicate' });
    const body = { ...failed(code), data: { orderNo: 'MP1' } };
    expect(await paidFor(json(body, 400))).toEqual({ outcome: 'duplicate' });
  });

  it.each([7_000, 206_003, 999, 0, 'constructor'])('with code %p is unknown', async (code) => {
    expect(await paidFor(json(failed(code)))).toMatchObject({ outcome: 'unknown' });
  });
});

describe('a query', () => {
  const facts = { reference: 'MP1', orderedUsdCents: null, local: null, bankReference: null };

  it.each([11, 22, '11', '22'])('of an order with status %p is pending', async (status) => {
    const answer = await foundFor(json(found({ status })));
    expect(answer).toEqual({ outcome: 'pending', reference: 'MP1' });
  });

  it.each([99, '99'])('of an order with status %p is paid, with its cost', async (status) => {
    const cost = { currency: 'USDT', debited: '2.0043942247', fee: '1', rate: null };
    const answer = await foundFor(json(found({ status })));
    expect(answer).toEqual({ outcome: 'paid', facts: { ...facts, cost } });
  });

  it('of an order with status 44 is declined, whatever its reason', async () => {
    const answer = await foundFor(json(found({ status: 44, reason: 'INSUFFICIENT_BALANCE' })));
    expect(answer).toEqual({ outcome: 'declined', code: 'other', reference: 'MP1' });
  });

  it.each([88, '88'])('of an order with status %p is unknown, and says why', async (status) => {
    const cause = "The provider's answer is unclear: HTTP 200, code 200, status 88";
    expect(await foundFor(json(found({ status })))).toEqual({ outcome: 'unknown', cause });
  });

  it('reads the number of the order in the other spelling', async () => {
    const answer = await foundFor(json(found({ order_no: undefined, orderNo: 'MP2' })));
    expect(answer).toMatchObject({ facts: { reference: 'MP2' } });
  });

  it('of a paid order without a number has no reference', async () => {
    const answer = await foundFor(json(found({ order_no: null })));
    expect(answer).toMatchObject({ outcome: 'paid', facts: { reference: null } });
  });

  it.each([
    ['0.100000000000000000', '0.001000000000000000', '0.101000000000000000'],
    ['1234567.123456789012345678', '0.000000000000000001', '1234567.123456789012345679'],
    ['1', '0', '1'],
  ])('adds %s and a fee of %s without losing a digit', async (order, fee, debited) => {
    const texts = found({ order_amount: order, fee_amount: fee });
    expect(await foundFor(json(texts))).toMatchObject({ facts: { cost: { debited, fee } } });
    const numbers = JSON.stringify(texts).replace(/("\w+_amount":)"([^"]+)"/g, '$1$2');
    expect(await foundFor(json(numbers))).toMatchObject({ facts: { cost: { debited, fee } } });
  });

  it.each([
    ['no currency', { currency: null }],
    ['another currency', { currency: 'THB' }],
    ['no amount', { order_amount: null }],
    ['an empty amount', { order_amount: '' }],
    ['no fee', { fee_amount: undefined }],
    ['an empty fee', { fee_amount: '' }],
  ])('of a paid order with %s says no cost', async (_what, change) => {
    const answer = await foundFor(json(found(change)));
    expect(answer).toEqual({ outcome: 'paid', facts: { ...facts, cost: null } });
  });

  it.each([7_000, '7000'])('with code %p is not_found', async (code) => {
    for (const status of [200, 400, 404]) {
      expect(await foundFor(json(failed(code), status))).toEqual({ outcome: 'not_found' });
    }
    const without = { code, message: 'ORDER_NOT_EXIST' };
    expect(await foundFor(json(without))).toEqual({ outcome: 'not_found' });
  });

  it.each([406, 412, 202_203, 202_224, 5_004, 999])('with code %d is unknown', async (code) => {
    expect(await foundFor(json(failed(code)))).toMatchObject({ outcome: 'unknown' });
  });
});
