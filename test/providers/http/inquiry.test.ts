// The inquiry in our own protocol: a quote, a refusal, and any unclear answer is unknown.
import type { OutgoingHttpHeaders } from 'node:http';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import type { InquiryRequest } from '../../../src/ports/payout-provider';
import { createHttpProvider } from '../../../src/providers/http/provider';
import { aThaiCode } from '../../support/payments/qr-codes';
import { withServers } from '../../support/servers/counted-servers';

const REQUEST: InquiryRequest = {
  ...({ qrPayload: aThaiCode(), corridor: 'th_qrpay', amountUsdCents: 1_205 } as const),
  local: null,
};
const QUOTE = {
  quote_id: 'quote_1',
  payee: { name: 'SOMCHAI JAIDEE', name_from: 'bank', bank: 'KASIKORNBANK' },
  local: { currency: 'THB', amount: 41_572 },
  rate: '34.50',
  expires_at: '2026-06-15T12:01:00.000Z',
};
const INQUIRY = {
  payee: { name: 'SOMCHAI JAIDEE', nameFrom: 'bank', bank: 'KASIKORNBANK' },
  local: { currency: 'THB', minor: 41_572 },
  cost: { currency: 'USD', debited: '12.05', fee: null, rate: '34.50' },
  token: 'quote_1',
  firmUntil: new Date('2026-06-15T12:01:00.000Z'),
};
const JSON_TYPE = { 'content-type': 'application/json' };

const outbound = createProviderOutbound();
afterAll(() => outbound.close());
const servers = withServers();

interface Given {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: OutgoingHttpHeaders;
}

async function exchanged({ status = 200, body = QUOTE, headers = {} }: Given) {
  const requests: unknown[] = [];
  const { port } = await servers.http((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url } = request;
      requests.push({ method, url, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown });
      response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
    });
  });
  const address = { baseUrl: `http://127.0.0.1:${port}`, token: 'a credential' };
  const answer = await createHttpProvider(outbound, address).inquire(REQUEST);
  return { requests, answer };
}

const answered = async (given: Given) => (await exchanged(given)).answer;

it('sends the code, the corridor and the cents, and reads the quote', async () => {
  const { requests, answer } = await exchanged({ body: { ...QUOTE, fee: '0' } });
  const body = { corridor: 'th_qrpay', amount_usd_cents: 1_205, qr_payload: REQUEST.qrPayload };
  expect(requests).toEqual([{ method: 'POST', url: '/quotes', body }]);
  expect(answer).toEqual({ outcome: 'quoted', inquiry: INQUIRY });
});

it.each([
  ['no name', { name: null, name_from: null, bank: null }, null],
  [
    'a name of an unlisted origin',
    { ...QUOTE.payee, name_from: 'cache' },
    { ...INQUIRY.payee, nameFrom: null },
  ],
  ['no bank', { name: 'A', name_from: 'code' }, { name: 'A', nameFrom: 'code', bank: null }],
])('reads a payee with %s', async (_what, payee, read) => {
  const answer = await answered({ body: { ...QUOTE, payee } });
  expect(answer).toEqual({ outcome: 'quoted', inquiry: { ...INQUIRY, payee: read } });
});

it('reads a refusal by its code', async () => {
  const body = { error: 'payee_closed', message: 'The account is closed.' };
  expect(await answered({ status: 422, body })).toEqual({ outcome: 'refused', code: body.error });
});

it.each<[string, Given]>([
  ['a 201', { status: 201 }],
  ['a 404', { status: 404, body: { error: 'payee_unknown' } }],
  ['a 500', { status: 500 }],
  ['a refusal with an unlisted code', { status: 422, body: { error: 'no' } }],
  ['a quote from a cache', { headers: { age: '1' } }],
  ['a refusal from a cache', { status: 422, body: { error: 'other' }, headers: { age: '1' } }],
  ['HTML', { headers: { 'content-type': 'text/html' } }],
  ['an encoded quote', { headers: { 'content-encoding': 'gzip' } }],
  ['no quote id', { body: { ...QUOTE, quote_id: undefined } }],
  ['a quote id with a space', { body: { ...QUOTE, quote_id: 'a b' } }],
  ['a name with a line break', { body: { ...QUOTE, payee: { ...QUOTE.payee, name: 'A\nB' } } }],
  ['an empty name', { body: { ...QUOTE, payee: { ...QUOTE.payee, name: '' } } }],
  ['a name of 141 characters', { body: { ...QUOTE, payee: { name: 'A'.repeat(141) } } }],
  ['no payee', { body: { ...QUOTE, payee: undefined } }],
  ['half a satang', { body: { ...QUOTE, local: { currency: 'THB', amount: 0.5 } } }],
  ['nothing for the payee', { body: { ...QUOTE, local: { currency: 'THB', amount: 0 } } }],
  ['a rate as a number', { body: { ...QUOTE, rate: 34.5 } }],
  ['a rate with an exponent', { body: { ...QUOTE, rate: '3e1' } }],
  ['an expiry without an offset', { body: { ...QUOTE, expires_at: '2026-06-15T12:01:00' } }],
  ['no expiry', { body: { ...QUOTE, expires_at: null } }],
])('reports unknown for %s', async (_what, given) => {
  expect(await answered(given)).toEqual({
    outcome: 'unknown',
    cause: expect.stringMatching(/^The provider's answer is unclear: /) as string,
  });
});
