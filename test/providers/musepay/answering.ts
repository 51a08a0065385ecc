// The adapter with a server behind it that gives one answer to everything, and an order for it.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import type { PayoutOrder, PayoutAdapter } from '../../../src/ports/payout-provider';
import { createMusePayProvider } from '../../../src/providers/musepay/provider';
import { aThaiCode } from '../../support/payments/qr-codes';
import { withServers } from '../../support/servers/counted-servers';
import { credentialsText } from './simulator';

/** The 26 characters of the intent id, by which MusePay knows the payment. */
export const ID = '01h2xcejqtf2nbrexx3vqjhp41';
export const OTHER_ID = '01h2xcejqtf2nbrexx3vqjhp42';

export const ORDER: PayoutOrder = {
  ...{ key: `pi_${ID}:payout`, amountUsdCents: 1_250, corridor: 'th_qrpay' as const },
  ...{ local: { currency: 'THB' as const, minor: 3_200 }, reference: null },
  ...{ qrPayload: aThaiCode(), token: null, payer: '0123456789abcdefghjk' },
};
export const INQUIRY = {
  ...{ qrPayload: aThaiCode(), corridor: 'th_qrpay' as const, amountUsdCents: 1_250 },
  local: ORDER.local,
};
export const IN_TIME = { isInTime: () => true, timeoutMs: 5_000 };

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const JSON_HEADERS = { 'content-type': 'application/json;charset=UTF-8' };

/** @param body a text as it is, or anything else as JSON */
export const json =
  (body: unknown, status = 200, headers: OutgoingHttpHeaders = {}): Answer =>
  (_, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { ...JSON_HEADERS, ...headers }).end(text);
  };

export const html =
  (status: number): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Gateway</html>');
  };

/** The documented answer to an order, with changes. */
export const submitted = (change: object = {}) => ({
  ...{ code: 200, message: 'success' },
  data: { orderNo: 'MP1', status: 22, ...change },
});

/** The documented answer to a query, with changes. */
export const found = (change: object = {}) => ({
  ...{ code: '200', message: 'success' },
  data: {
    ...{ order_no: 'MP1', request_id: ID, partner_id: '2000061', currency: 'USDT' },
    ...{ order_type: 'proxy_pay', order_amount: '1.0043942247', fee_amount: '1' },
    ...{ arrive_amount: '1.0043942247', finish_time: '1664519433', status: 99, reason: '' },
    ...change,
  },
});

/** An error of the documents, with its constant as the message. */
export const failed = (code: number | string) => ({ code, message: 'AN_ERROR', data: null });

/** Closes the servers and connections when the tests of the file are over. */
export function withMusePay() {
  const outbound = createProviderOutbound();
  afterAll(() => outbound.close());
  const servers = withServers();
  return async <Result>(answer: Answer, work: (provider: PayoutAdapter) => Promise<Result>) => {
    const { port } = await servers.http(answer);
    const account = { baseUrl: `http://127.0.0.1:${port}`, token: credentialsText() };
    return work(createMusePayProvider(outbound, account));
  };
}
