// Callbacks of MusePay: only a signed one is read, and it says only which payment to query.
import { generateKeyPairSync } from 'node:crypto';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { createMusePayProvider } from '../../../src/providers/musepay/provider';
import { signatureOf } from '../../../src/providers/musepay/signature';
import { ID, IN_TIME, ORDER, OTHER_ID } from './answering';
import { credentialsText, openMusePay, signedCallback } from './simulator';

const outbound = createProviderOutbound();
afterAll(() => outbound.close());

const provider = createMusePayProvider(outbound, {
  baseUrl: 'https://api.musepay.example',
  token: credentialsText(),
});
const read = (body: Uint8Array) => provider.readCallback?.({}, body);

/** The documented members. */
const MEMBERS = {
  ...{ partner_id: '2000061', order_no: 'MP1', request_id: ID, order_type: 'proxy_pay' },
  ...{ product_code: '', currency: 'USDT', order_amount: '1.0043942247', pay_amount: null },
  ...{ fee_amount: '1', actual_amount: '1.0043942247', finish_time: '1664519433', status: 99 },
  ...{ reason: '', extra_info: '{"exchangeRate":"31.86","qrcodeType":"prompt_pay"}' },
};
const HINT = { key: ORDER.key, reference: 'MP1' };
const GENUINE = signedCallback(MEMBERS).toString();

it.each([11, 44, 88, 99, '99', 7, null])('names the payment, whatever its status: %p', (status) => {
  expect(read(signedCallback({ ...MEMBERS, status }))).toEqual(HINT);
});

it('is read from what the simulated provider sends of an order', async () => {
  const musePay = await openMusePay();
  try {
    const adapter = createMusePayProvider(outbound, musePay);
    await adapter.pay(ORDER, IN_TIME);
    const hint = adapter.readCallback?.({}, musePay.callbackOf(ID));
    expect(hint).toEqual({ key: ORDER.key, reference: 'MP000000000001' });
  } finally {
    await musePay.close();
  }
});

it('is read whatever the order and the spacing of its members', () => {
  const members = JSON.parse(GENUINE) as object;
  const turned = Object.fromEntries(Object.entries(members).reverse());
  expect(read(Buffer.from(JSON.stringify(turned, null, 2)))).toEqual(HINT);
});

it.each([
  ['of another product', 'abc12347465746'],
  ['that is our whole key', ORDER.key],
  ['in capitals', ID.toUpperCase()],
  ['that is missing', undefined],
  ['that is null', null],
])('has no key for an id %s', (_what, request_id) => {
  const hint = { key: null, reference: 'MP1' };
  expect(read(signedCallback({ ...MEMBERS, request_id }))).toEqual(hint);
});

it('has no reference without a number of the order', () => {
  const hint = { key: ORDER.key, reference: null };
  expect(read(signedCallback({ ...MEMBERS, order_no: undefined }))).toEqual(hint);
});

const changed = (change: object) => {
  const members = JSON.parse(GENUINE) as object;
  return JSON.stringify({ ...members, ...change });
};
const forger = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const TEXTS = { partner_id: '2000061', order_no: 'MP1', request_id: ID };

it.each([
  ['with another id', changed({ request_id: OTHER_ID })],
  ['with another number', changed({ order_no: 'MP2' })],
  ['with another status', changed({ status: 44 })],
  ['with another amount', changed({ order_amount: '2' })],
  ['with a member more', changed({ orderNo: 'MP1' })],
  ['with a member less', changed({ finish_time: undefined })],
  ['without a signature', changed({ sign: undefined })],
  ['with an empty signature', changed({ sign: '' })],
  ['with a signature that is null', changed({ sign: null })],
  ['with a signature that is a list', changed({ sign: ['x'] })],
  ['with the signature of another callback', changed({ order_no: 'MP2', status: 11 })],
  [
    'with the signature of another key',
    JSON.stringify({ ...TEXTS, sign: signatureOf(TEXTS, forger.privateKey) }),
  ],
  ['with an id twice', GENUINE.replace('{', `{"request_id":"${OTHER_ID}",`)],
  ['with a prototype', GENUINE.replace('{', '{"__proto__":{},')],
  ['that is cut', GENUINE.slice(0, -1)],
  ['with more text after it', `${GENUINE}x`],
  ['that is a list', `[${GENUINE}]`],
  ['that is text', '"paid"'],
  ['that is empty', ''],
])('is ignored %s', (_what, text) => {
  expect(read(Buffer.from(text))).toBeUndefined();
});

it.each([
  ['for another account', { partner_id: '2000062' }],
  ['for no account', { partner_id: undefined }],
  ['with two numbers', { orderNo: 'MP2' }],
  ['with a number of 129 characters', { order_no: 'x'.repeat(129) }],
])('is ignored %s, although it is signed', (_what, change) => {
  expect(read(signedCallback({ ...MEMBERS, ...change }))).toBeUndefined();
});

it('is ignored with members that are no texts or numbers, although it is signed', () => {
  const nested = { ...MEMBERS, extra_info: { exchangeRate: '31.86' } };
  expect(read(signedCallback(nested))).toBeUndefined();
});

it('is ignored if it is not UTF-8', () => {
  const bytes = Buffer.from(GENUINE.replace('MP1', 'MP\u00e9'), 'latin1');
  expect(read(bytes)).toBeUndefined();
});
