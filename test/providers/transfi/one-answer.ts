// An adapter for TransFi behind which a server gives one and the same answer, and an order for it.
import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import type { PayoutOrder, PayoutAdapter } from '../../../src/ports/payout-provider';
import { createTransFiProvider } from '../../../src/providers/transfi/provider';
import { aVietnameseCode } from '../../support/payments/qr-codes';
import { withServers } from '../../support/servers/counted-servers';
import { CREDENTIALS } from './simulator';

export const KEY = 'pi_01jhj7wq3kzx8v5t2m9n4r6c0d:payout';
export const OTHER_KEY = 'pi_01jhj7wq3kzx8v5t2m9n4r6c0e:payout';
export const REFERENCE = 'OR-2025011500001';
export const IN_TIME = { isInTime: () => true, timeoutMs: 5_000 };

export const ORDER: PayoutOrder = {
  ...({ key: KEY, amountUsdCents: 1_250, corridor: 'vn_qrpay' } as const),
  local: { currency: 'VND', minor: 317_500 },
  ...{ reference: null, qrPayload: aVietnameseCode(), token: null, payer: 'a2b3c4d5e6f7a2b3c4d5' },
};

/** A query for that order, whose reference is known. */
export const QUESTION = { ...ORDER, reference: REFERENCE };

const JSON_TYPE = { 'content-type': 'application/json' };

/** @param body sent as it is if it is text, and as JSON otherwise */
export const answer =
  (body: unknown, status = 200, headers: OutgoingHttpHeaders = {}): RequestListener =>
  (_, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { ...JSON_TYPE, ...headers }).end(text);
  };

/** Registers hooks of the test file. */
export function withOneAnswer() {
  const outbound = createProviderOutbound();
  afterAll(() => outbound.close());
  const servers = withServers();
  return async <Result>(
    listener: RequestListener,
    work: (provider: PayoutAdapter) => Promise<Result>,
  ): Promise<Result> => {
    const { port } = await servers.http(listener);
    const token = JSON.stringify(CREDENTIALS);
    return work(createTransFiProvider(outbound, { baseUrl: `http://127.0.0.1:${port}`, token }));
  };
}

const PAGE = { 'content-type': 'text/html' };

type Case = readonly [string, RequestListener];

/** Answers of which none is certainly TransFi's own. @param body would count otherwise */
export function uncertain(body: object): readonly Case[] {
  const text = JSON.stringify(body);
  const part = text.slice(1);
  const [first = ''] = Object.keys(body);
  const escaped = `\\u00${first.charCodeAt(0).toString(16)}${first.slice(1)}`;
  return [
    ['of a gateway, in HTML', answer('<html>OK</html>', 200, PAGE)],
    ['in HTML, although it is JSON', answer(body, 200, PAGE)],
    ['without a media type', (_, response) => response.writeHead(200).end(text)],
    ['from a cache', answer(body, 200, { age: '0' })],
    ['that is encoded', answer(body, 200, { 'content-encoding': 'gzip' })],
    ['that is cut', answer(text.slice(0, -1))],
    ['that is shorter than it says', answer(text, 200, { 'content-length': '9999' })],
    ['without end', answer(`${text}${' '.repeat(20_000)}`)],
    ['with a member twice', answer(`{"${first}":"",${part}`)],
    ['with a member twice, once escaped', answer(`{"${escaped}":"",${part}`)],
    ['with a prototype', answer(`{"__proto__":{},${part}`)],
    ['with more after it', answer(`${text}{}`)],
    ['with a byte order mark', answer(`\ufeff${text}`)],
    ['that is a list', answer([body])],
    ['that is text', answer('"fund_settled"')],
    ['that is empty', answer('')],
    ['that is a connection cut', (request) => request.socket.destroy()],
    ...OTHER_STATUSES.map((status): Case => [`with ${String(status)}`, answer(body, status)]),
  ];
}

/** Of an altered, empty or partial answer, of a redirect, of an error. */
const OTHER_STATUSES = [203, 206, 302, 400, 401, 403, 404, 408, 409, 425, 429, 500, 502, 503, 504];

/** Answers that name no order, or more than one. @param body names one */
export const withoutOneOrder = (body: object): readonly Case[] => [
  ['with two orders', answer({ ...body, data: { orderId: 'OR-2' } })],
  ['with two ids', answer({ ...body, id: 'OR-2' })],
  ['without an id', answer({ ...body, orderId: undefined })],
  ['with an id that is not of an order', answer({ ...body, orderId: 'PO-1' })],
  ['with an id that is a path', answer({ ...body, orderId: 'OR-1/../../v3/balance' })],
  ['with a number as id', answer({ ...body, orderId: 17 })],
];
