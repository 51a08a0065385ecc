// An order to TransFi: what is sent, and what each answer means (docs/providers/transfi.md).
import type { IncomingHttpHeaders } from 'node:http';
import type { PayoutOrder } from '../../../src/ports/payout-provider';
import { recogniseErrorsOfNode } from '../../support/builders';
import {
  answer,
  IN_TIME,
  KEY,
  ORDER,
  OTHER_KEY,
  REFERENCE,
  uncertain,
  withOneAnswer,
  withoutOneOrder,
} from './one-answer';

recogniseErrorsOfNode();
const withAnswer = withOneAnswer();

const outcomeOf = (listener: Parameters<typeof withAnswer>[0]) =>
  withAnswer(listener, (provider) => provider.pay(ORDER, IN_TIME));

const CREATED = { orderId: REFERENCE, status: 'initiated' };
const NAMED = { ...CREATED, partnerId: KEY };
const USED = { code: 'PARTNER_ID_ALREADY_USED', message: 'partnerId is already used.' };
const KYC = { code: 'ENHANCED_KYC_REQUIRED' };
const PENDING = { outcome: 'pending', reference: REFERENCE };
const DUPLICATE = { outcome: 'duplicate' };

interface Received {
  readonly call: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** @returns the requests of one `pay` */
async function requestsOf(order: PayoutOrder, limits = IN_TIME) {
  const received: Received[] = [];
  const outcome = await withAnswer(
    (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        received.push({ call: `${method} ${url}`, headers, body });
        answer(CREATED)(request, response);
      });
    },
    (provider) => provider.pay(order, limits),
  );
  return { received, outcome };
}

describe('an order', () => {
  it('is one request with our whole key, the code and the dong as text', async () => {
    const { received } = await requestsOf(ORDER);
    const { qrPayload: qrCode } = ORDER;
    const destination = { currency: 'VND', amount: '317500', qrCode };
    expect(received).toHaveLength(1);
    expect(received[0]?.call).toBe('POST /v3/orders');
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      ...{ orderType: 'payout', partnerId: KEY, destination },
    });
  });

  it('carries the credentials, and requests a plain answer that is in no cache', async () => {
    const { received } = await requestsOf(ORDER);
    const basic = Buffer.from('merchant:a: pass word').toString('base64');
    expect(received[0]?.headers).toMatchObject({
      ...{ authorization: `Basic ${basic}`, mid: 'MID-1', 'content-type': 'application/json' },
      ...{ accept: 'application/json', 'accept-encoding': 'identity', 'cache-control': 'no-cache' },
    });
  });

  it.each<[string, Partial<PayoutOrder>]>([
    ['without the amount of the payee', { local: null }],
    ['in baht', { local: { currency: 'THB', minor: 43_125 } }],
    ['without a code', { qrPayload: null }],
    ['of another corridor', { corridor: 'th_qrpay' }],
  ])('%s is not sent', async (_what, change) => {
    const cause = expect.stringMatching(/^not sent: /) as unknown;
    const { received, outcome } = await requestsOf({ ...ORDER, ...change });
    expect({ received, outcome }).toEqual({ received: [], outcome: { outcome: 'unknown', cause } });
  });

  it('is not sent when `isInTime` is false at the last moment', async () => {
    const cause = expect.stringMatching(/^not sent: /) as unknown;
    const { received, outcome } = await requestsOf(ORDER, { ...IN_TIME, isInTime: () => false });
    expect({ received, outcome }).toEqual({ received: [], outcome: { outcome: 'unknown', cause } });
  });
});

describe('the answer to an order', () => {
  it.each<[string, object, number]>([
    ['with its id', CREATED, 200],
    ['that is a 201', CREATED, 201],
    ['that is a 202', CREATED, 202],
    ['with its id as `id`', { id: REFERENCE, status: 'initiated' }, 200],
    ['with a foreign `id` beside its own', { ...CREATED, id: '66f0' }, 200],
    ['with the order in `data`', { status: 'success', data: CREATED }, 200],
    ['with the order in `order`', { order: CREATED }, 200],
    ['with our key', { ...CREATED, partnerId: KEY }, 200],
    ['without a status', { orderId: REFERENCE }, 200],
    ['that is being executed', { ...CREATED, status: 'fund_processing' }, 200],
    ['that is settled already', { ...CREATED, status: 'fund_settled' }, 200],
    ['with an unlisted status', { ...CREATED, status: 'fund_deposited' }, 200],
  ])('%s is pending', async (_what, body, status) => {
    await expect(outcomeOf(answer(body, status))).resolves.toEqual(PENDING);
  });

  it.each<[string, unknown, number]>([
    ['of a used partnerId', USED, 400],
    ['of a used partnerId, as a 409', USED, 409],
    ['of a used partnerId in `error`', { error: USED }, 400],
    ['of a used partnerId as `error`', { error: USED.code }, 400],
    ['of a used partnerId among details', { code: 'BAD_REQUEST', details: [{}, USED] }, 400],
    ['of a used partnerId as a detail', { details: [USED.code] }, 400],
    ['of a used partnerId in details of `error`', { error: { details: [USED] } }, 400],
    ['of a used partnerId, with the order', { ...USED, ...CREATED, partnerId: KEY }, 200],
    ['of a used partnerId beside another code', { ...KYC, details: [USED] }, 400],
    ['with the failed order of this key', { ...CREATED, status: 'fund_failed' }, 200],
    ['with that order, as a 400', { ...CREATED, status: 'fund_failed' }, 400],
  ])('%s is duplicate', async (_what, body, status) => {
    await expect(outcomeOf(answer(body, status))).resolves.toEqual(DUPLICATE);
  });

  it('that requires more of the payer is refused for compliance', async () => {
    const refused = { outcome: 'refused', code: 'compliance' };
    const detail = { code: 'BAD_REQUEST', details: [KYC] };
    expect(await outcomeOf(answer(KYC, 400))).toEqual(refused);
    expect(await outcomeOf(answer(detail, 422))).toEqual(refused);
  });

  it.each<[string, object, number]>([
    ['that requires more of the payer, with an order', { ...KYC, ...CREATED }, 400],
    ['that requires more of the payer, with 200', KYC, 200],
    ['that requires more of the payer, with 503', KYC, 503],
    ['that requires more of another payer', { ...KYC, partnerId: OTHER_KEY }, 400],
    ['of a used partnerId, with 500', USED, 500],
    ['of another used partnerId', { ...USED, partnerId: OTHER_KEY }, 400],
    ['with another code', { code: 'INSUFFICIENT_BALANCE' }, 400],
    ['about another key', { ...CREATED, partnerId: OTHER_KEY }, 200],
    ['about our key in other letters', { ...CREATED, partnerId: KEY.toUpperCase() }, 200],
    ['about another key in `data`', { data: { ...CREATED, partnerId: OTHER_KEY } }, 200],
  ])('%s is unknown', async (_what, body, status) => {
    await expect(outcomeOf(answer(body, status))).resolves.toMatchObject({ outcome: 'unknown' });
  });

  it.each([...uncertain(NAMED), ...withoutOneOrder(NAMED)])(
    '%s is unknown',
    async (_what, listener) => {
      await expect(outcomeOf(listener)).resolves.toMatchObject({ outcome: 'unknown' });
    },
  );

  it.each(['from a cache', 'in HTML, although it is JSON', 'that is encoded', 'with 302'])(
    'of a used partnerId %s is unknown too',
    async (what) => {
      const listener = new Map(uncertain({ ...USED, ...CREATED })).get(what);
      await expect(outcomeOf(listener ?? answer(USED))).resolves.toMatchObject({
        outcome: 'unknown',
      });
    },
  );

  it('contains neither the code nor a credential in a cause', async () => {
    const { qrPayload } = ORDER;
    const echoed = { code: 'VALIDATION_ERROR', message: `${String(qrPayload)} MID-1 pass word` };
    const text = JSON.stringify(await outcomeOf(answer(echoed, 400)));
    expect(text).toMatch(/it answered 400, no order/);
    expect(text).not.toMatch(/MID-1|pass word/);
    expect(text).not.toContain(qrPayload);
  });
});
