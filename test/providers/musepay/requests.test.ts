// What the adapter sends to MusePay, and what it does not send.
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import type { PayoutOrder } from '../../../src/ports/payout-provider';
import { createMusePayProvider } from '../../../src/providers/musepay/provider';
import { keyOf, requestIdOf } from '../../../src/providers/musepay/requests';
import { ID, INQUIRY, IN_TIME, json, ORDER, submitted, withMusePay } from './answering';
import { openMusePay, type MusePaySimulator } from './simulator';

const NOW_MS = Date.UTC(2026, 10, 28, 12);
const outbound = createProviderOutbound();
afterAll(() => outbound.close());

let musePay: MusePaySimulator;
beforeEach(async () => {
  musePay = await openMusePay({ nowMs: () => NOW_MS });
});
afterEach(() => musePay.close());

const adapter = (nowMs = NOW_MS) => createMusePayProvider(outbound, musePay, () => nowMs);

const COMMON = {
  ...{ partner_id: '2000061', sign_type: 'RSA', timestamp: String(NOW_MS) },
  nonce: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  sign: expect.stringMatching(/^[\w+/]{342}==$/) as string,
};

it('is an order in baht with the code, the payer and the 26 characters of the intent id', async () => {
  await adapter().pay(ORDER, IN_TIME);
  const members = {
    ...{ request_id: ID, user_xid: ORDER.payer, qrcode: ORDER.qrPayload, amount: '32.00' },
    notify_url: 'https://pay.example/callbacks/musepay',
  };
  const path = '/v1/scanPay/submit';
  expect(musePay.requests).toEqual([{ path, members: { ...members, ...COMMON } }]);
});

it('is a query by that id alone', async () => {
  await adapter().find(ORDER);
  const members = { request_id: ID, ...COMMON };
  expect(musePay.requests).toEqual([{ path: '/v1/order/query', members }]);
});

it.each([
  [ORDER.local, '32.00'],
  [null, null],
])('is an inquiry with the code and its amount, if it has one (%#)', async (local, amount) => {
  await adapter().inquire?.({ ...INQUIRY, local });
  const members = { qrcode: INQUIRY.qrPayload, amount, ...COMMON };
  expect(musePay.requests).toEqual([{ path: '/v1/scanPay/info', members }]);
});

it('has another nonce each time', async () => {
  const provider = adapter();
  await Promise.all([provider.pay(ORDER, IN_TIME), provider.find(ORDER), provider.find(ORDER)]);
  const nonces = musePay.requests.map(({ members }) => members['nonce']);
  expect(new Set(nonces).size).toBe(3);
});

it('is answered as a fault of the configuration if the clock is wrong', async () => {
  const outcome = await adapter(NOW_MS - 600_000).pay(ORDER, IN_TIME);
  expect(outcome).toEqual({ outcome: 'refused', code: 'other' });
  expect(musePay.executionsOf(ID)).toBe(0);
});

it('has the time of the machine unless another clock is given', async () => {
  const present = await openMusePay();
  try {
    const outcome = await createMusePayProvider(outbound, present).pay(ORDER, IN_TIME);
    expect(outcome).toMatchObject({ outcome: 'pending' });
  } finally {
    await present.close();
  }
});

const UNFIT: readonly (readonly [string, Partial<PayoutOrder>])[] = [
  ['without the amount of the payee', { local: null }],
  ['in dong', { local: { currency: 'VND', minor: 3_200 } }],
  ['for Vietnam', { corridor: 'vn_qrpay' }],
  ['without a code', { qrPayload: null }],
  ['with a payer of 21 characters', { payer: 'x'.repeat(21) }],
  ['without a payer', { payer: '' }],
  ['with another key', { key: 'pi_1:payout' }],
  ['with the key of a refund', { key: `pi_${ID}:refund` }],
];

it.each(UNFIT)('is nothing for an order %s: it is refused', async (_what, change) => {
  const outcome = await adapter().pay({ ...ORDER, ...change }, IN_TIME);
  expect(outcome).toEqual({ outcome: 'refused', code: 'other' });
  expect(musePay.requests).toEqual([]);
});

it('is nothing for a query with another key, which is unknown and never not_found', async () => {
  const answer = await adapter().find({ ...ORDER, key: 'pi_1:payout' });
  expect(answer).toMatchObject({ outcome: 'unknown' });
  expect(musePay.requests).toEqual([]);
});

it.each([
  ['for Vietnam', { corridor: 'vn_qrpay' as const }],
  ['in dong', { local: { currency: 'VND' as const, minor: 3_200 } }],
])('is nothing for an inquiry %s', async (_what, change) => {
  const answer = await adapter().inquire?.({ ...INQUIRY, ...change });
  expect(answer).toMatchObject({ outcome: 'unknown' });
  expect(musePay.requests).toEqual([]);
});

it('is nothing when `isInTime` is false at the last moment', async () => {
  const outcome = await adapter().pay(ORDER, { ...IN_TIME, isInTime: () => false });
  const cause = expect.stringMatching(/^not sent: /) as string;
  expect(outcome).toEqual({ outcome: 'unknown', cause });
  expect(musePay.requests).toEqual([]);
});

describe('the headers', () => {
  const musePayWith = withMusePay();

  it('request plain JSON that no cache answers', async () => {
    const headers: unknown[] = [];
    await musePayWith(
      (request, response) => {
        headers.push(request.headers);
        json(submitted())(request, response);
      },
      (provider) => provider.pay(ORDER, IN_TIME),
    );
    const expected = { 'content-type': 'application/json', accept: 'application/json' };
    const whole = { ...expected, 'accept-encoding': 'identity', 'cache-control': 'no-cache' };
    expect(headers).toEqual([expect.objectContaining(whole)]);
  });
});

describe('the id at MusePay', () => {
  it('leads back to the key', () => {
    expect([requestIdOf(ORDER.key), keyOf(ID)]).toEqual([ID, ORDER.key]);
  });

  it.each([
    ...[ID.toUpperCase(), ` ${ID}`, `${ID}\n`, `${ID}0`, ID.slice(1), `${ID}:payout`, ''],
    ...[`pi_${ID}`, `pi_${ID}:payout`, ID.replace('1', 'l')],
  ])('is only that form, not %j', (text) => {
    expect(keyOf(text)).toBeUndefined();
  });

  it.each([ID, `pi_${ID}`, `pi_${ID}:payout:payout`, `pi_${ID}:debit`, `xx_${ID}:payout`, ''])(
    'is made of the key of a payout only, not of %j',
    (key) => {
      expect(requestIdOf(key)).toBeUndefined();
    },
  );
});
