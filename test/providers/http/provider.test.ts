// Port `PayoutProvider` over HTTP (architecture, section 6): any unclear answer is unknown.
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { createHttpProvider } from '../../../src/providers/http/provider';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { listen } from '../../../src/main/listen';
import type { PayoutAdapter, PayoutOrder } from '../../../src/ports/payout-provider';
import { recogniseErrorsOfNode } from '../../support/builders';
import { answerOf, factsOf } from '../../support/payments/answers';
import { aVietnameseCode } from '../../support/payments/qr-codes';
import { withServers } from '../../support/servers/counted-servers';
import { IN_CENTS } from '../../support/payments/accounts';

recogniseErrorsOfNode();

const ORDER: PayoutOrder = {
  ...IN_CENTS,
  key: 'pi_1:payout',
  amountUsdCents: 1_250,
  corridor: 'vn_qrpay',
  qrPayload: null,
};
const IN_TIME = { isInTime: () => true, timeoutMs: 5_000 };
const TOKEN = 'a credential of the provider';

const outbound = createProviderOutbound();
afterAll(() => outbound.close());

const servers = withServers();

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function withProvider<Result>(
  answer: Answer,
  work: (provider: PayoutAdapter) => Promise<Result>,
): Promise<Result> {
  const { port } = await servers.http(answer);
  return work(createHttpProvider(outbound, { baseUrl: `http://127.0.0.1:${port}`, token: TOKEN }));
}

const JSON_HEADERS = { 'content-type': 'application/json' };

const json =
  (status: number, body: unknown, headers: OutgoingHttpHeaders = JSON_HEADERS): Answer =>
  (_, response) => {
    const bytes = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, headers).end(bytes);
  };
const payout = (change: Record<string, unknown> = {}) => ({
  key: ORDER.key,
  status: 'paid',
  amount_usd_cents: 1_250,
  ...change,
});

const PAID_TEXT = JSON.stringify(payout());

async function received(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method, url, headers } = request;
  const body = Buffer.concat(chunks).toString();
  return { method, url, body, key: headers['idempotency-key'], credential: headers.authorization };
}

describe('the order', () => {
  const credential = `Bearer ${TOKEN}`;
  const query = { method: 'GET', url: '/payouts/pi_1%3Apayout', body: '', credential };

  /** @returns the requests that reach the provider when the order is sent and then queried */
  async function requestsFor(order: PayoutOrder): Promise<readonly unknown[]> {
    const requests: unknown[] = [];
    const answer: Answer = (request, response) => {
      void received(request).then((what) => {
        requests.push(what);
        json(200, payout())(request, response);
      });
    };
    await withProvider(answer, async (provider) => {
      await provider.pay(order, IN_TIME);
      await provider.find(order);
    });
    return requests;
  }

  it('is sent with its key, amount and corridor, and queried by its key', async () => {
    const body = '{"amount_usd_cents":1250,"corridor":"vn_qrpay"}';
    expect(await requestsFor(ORDER)).toEqual([
      { method: 'POST', url: '/payouts', body, key: ORDER.key, credential },
      { ...query, key: undefined },
    ]);
  });

  it('is sent with the scanned code if there is one, and queried without it', async () => {
    const qrPayload = aVietnameseCode();
    const body = `{"amount_usd_cents":1250,"corridor":"vn_qrpay","qr_payload":"${qrPayload}"}`;
    expect(await requestsFor({ ...ORDER, qrPayload })).toEqual([
      { method: 'POST', url: '/payouts', body, key: ORDER.key, credential },
      { ...query, key: undefined },
    ]);
  });

  it('is sent with the quote and the payee’s amount if there are any', async () => {
    const terms = { token: 'quote_1', local: { currency: 'VND', minor: 317_500 } } as const;
    const body = expect.stringMatching(
      /,"quote_id":"quote_1","local":{"currency":"VND","amount":317500}}$/,
    ) as string;
    const [order] = await requestsFor({ ...ORDER, ...terms });
    expect(order).toMatchObject({ body });
  });
});

describe.each(['pay', 'find'] as const)('%s', (call) => {
  const outcomeOf = (answer: Answer) =>
    withProvider(answer, (provider) => provider[call](ORDER, IN_TIME));

  it.each(['paid', 'pending', 'declined', 'returned'] as const)('reports %s', async (status) => {
    const outcome = await outcomeOf(json(200, payout({ status })));
    expect(outcome).toEqual(answerOf(status, 1_250));
  });

  it.each(['paid', 'returned'])(
    'reports %s with what the payee gets, the reference and the amount of the answer',
    async (status) => {
      const local = { currency: 'VND', amount: 317_500 };
      const said = { status, reference: 'TX-1', local, amount_usd_cents: 7, code: null };
      const outcome = await outcomeOf(json(200, payout(said)));
      const facts = { reference: 'TX-1', local: { currency: 'VND', minor: 317_500 } };
      expect(outcome).toEqual({ outcome: status, facts: { ...factsOf(7), ...facts } });
    },
  );

  it.each([
    ['payee_closed', 'payee_closed'],
    ['NO_FUNDS', 'other'],
  ])('reports why a payout was declined: %s is %s', async (says, code) => {
    const said = { status: 'declined', code: says, reference: 'TX-1' };
    const outcome = await outcomeOf(json(200, payout(said)));
    expect(outcome).toEqual({ outcome: 'declined', code, reference: 'TX-1' });
  });

  it.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['Application/JSON ;charset="utf-8"'],
    ['application/json;'],
    ['application/json; version=1'],
  ])('reads an answer whose media type is %s', async (type) => {
    const outcome = await outcomeOf(json(200, payout(), { 'content-type': type }));
    expect(outcome).toMatchObject({ outcome: 'paid' });
  });

  it('requests an answer without an encoding, and reads one that says so', async () => {
    const accepted: unknown[] = [];
    const plain = json(200, payout(), { ...JSON_HEADERS, 'content-encoding': 'Identity' });
    const outcome = await outcomeOf((request, response) => {
      accepted.push(request.headers['accept-encoding']);
      plain(request, response);
    });
    expect([accepted, outcome]).toMatchObject([['identity'], { outcome: 'paid' }]);
  });

  it('reads an answer behind 100 Continue', async () => {
    const outcome = await outcomeOf((request, response) => {
      response.writeContinue();
      json(200, payout())(request, response);
    });
    expect(outcome).toMatchObject({ outcome: 'paid' });
  });

  it('reads 201 and 202 too, with white space and unknown members', async () => {
    const text = ` ${JSON.stringify(payout({ fee: { cents: 1 } }), null, 2)}\n`;
    const outcomes = [await outcomeOf(json(201, text)), await outcomeOf(json(202, text))];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['paid', 'paid']);
  });

  it.each<[string, Answer]>([
    ['a 500', json(500, payout())],
    ['a 503', json(503, '')],
    ['a 400', json(400, payout())],
    ['a 302', json(302, payout(), { ...JSON_HEADERS, location: '/payouts/other' })],
    ['a 203, which a proxy has changed', json(203, payout())],
    ['a 204', json(204, '')],
    ['a 206', json(206, payout())],
    ['no media type', json(200, payout(), {})],
    [
      'another charset',
      json(200, payout(), { 'content-type': 'application/json; charset=latin1' }),
    ],
    ['text/html', json(200, payout(), { 'content-type': 'text/html' })],
    ['application/json5', json(200, payout(), { 'content-type': 'application/json5' })],
    ['two media types', json(200, payout(), { 'content-type': ['application/json', 'text/html'] })],
    ['another key', json(200, payout({ key: 'pi_2:payout' }))],
    ['another status', json(200, payout({ status: 'PAID' }))],
    ['no amount', json(200, payout({ amount_usd_cents: undefined }))],
    ['a fractional amount', json(200, payout({ amount_usd_cents: 1.5 }))],
    ['an amount as text', json(200, payout({ amount_usd_cents: '1250' }))],
    ['an amount of zero', json(200, payout({ amount_usd_cents: 0 }))],
    ['an amount over the maximum', json(200, payout({ amount_usd_cents: 100_000_001 }))],
    ['pending in another amount', json(200, payout({ status: 'pending', amount_usd_cents: 7 }))],
    ['declined in another amount', json(200, payout({ status: 'declined', amount_usd_cents: 7 }))],
    ['half a baht', json(200, payout({ local: { currency: 'THB', amount: 0.5 } }))],
    ['dollars for the payee', json(200, payout({ local: { currency: 'USD', amount: 5 } }))],
    ['a list', json(200, [payout()])],
    ['text', json(200, 'paid')],
    ['an empty body', json(200, '')],
    ['a member twice', json(200, PAID_TEXT.replace('{', '{"status":"declined",'))],
    [
      'a member twice, once escaped',
      json(200, PAID_TEXT.replace('{', '{"st\\u0061tus":"declined",')),
    ],
    ['a prototype', json(200, `{"__proto__":${PAID_TEXT}}`)],
    ['a second value after it', json(200, `${PAID_TEXT}{}`)],
    ['a byte order mark', json(200, `\ufeff${PAID_TEXT}`)],
    ['a body that is cut', json(200, PAID_TEXT.slice(0, -1))],
    ['too short a body', json(200, PAID_TEXT, { ...JSON_HEADERS, 'content-length': '99' })],
    ['an answer without end', json(200, `${PAID_TEXT}${' '.repeat(20_000)}`)],
    ['a Content-Encoding', json(200, payout(), { ...JSON_HEADERS, 'content-encoding': 'gzip' })],
    ['a connection that is cut', (request) => request.socket.destroy()],
  ])('reports unknown for %s', async (_name, answer) => {
    await expect(outcomeOf(answer)).resolves.toMatchObject({ outcome: 'unknown' });
  });

  it('reports unknown with a short cause when the provider does not listen', async () => {
    const server = createServer();
    const port = await listen(server, 0, '127.0.0.1');
    await new Promise((resolve) => server.close(resolve));
    const baseUrl = `http://127.0.0.1:${String(port)}`;
    const outcome = await createHttpProvider(outbound, { baseUrl, token: TOKEN })[call](
      ORDER,
      IN_TIME,
    );
    expect(outcome).toEqual({ outcome: 'unknown', cause: 'connection refused' });
  });
});

describe('a 404', () => {
  const NOT_FOUND = { error: 'not_found', key: ORDER.key };
  const foundBy = (answer: Answer) => withProvider(answer, (provider) => provider.find(ORDER));

  it.each([
    ['', JSON_HEADERS],
    [' with a charset', { 'content-type': 'application/json; charset=utf-8' }],
  ])('with the key in JSON%s is not_found for a query by key', async (_what, headers) => {
    await expect(foundBy(json(404, NOT_FOUND, headers))).resolves.toEqual({ outcome: 'not_found' });
  });

  it.each<[string, Answer]>([
    ['without a body', json(404, '')],
    ['of a gateway, in HTML', json(404, '<html>', { 'content-type': 'text/html' })],
    ['in another media type', json(404, NOT_FOUND, { 'content-type': 'application/problem+json' })],
    ['without a media type', json(404, NOT_FOUND, {})],
    ['about another key', json(404, { ...NOT_FOUND, key: 'pi_2:payout' })],
    ['about no key', json(404, { error: 'not_found' })],
    ['with another error', json(404, { ...NOT_FOUND, error: 'no_route' })],
    ['with another member', json(404, { ...NOT_FOUND, status: 'paid' })],
    [
      'with a member twice',
      json(404, `{"key":"pi_2:payout",${JSON.stringify(NOT_FOUND).slice(1)}`),
    ],
    ['with more text after it', json(404, `${JSON.stringify(NOT_FOUND)}x`)],
    ['that is cut', json(404, JSON.stringify(NOT_FOUND).slice(0, -1))],
    ['that is a list', json(404, [NOT_FOUND])],
    ['from a cache', json(404, NOT_FOUND, { ...JSON_HEADERS, age: '0' })],
    ['that is encoded', json(404, NOT_FOUND, { ...JSON_HEADERS, 'content-encoding': 'br' })],
    ['that is a 410', json(410, NOT_FOUND)],
    ['that is a 200', json(200, NOT_FOUND)],
  ])('%s is unknown', async (_what, answer) => {
    await expect(foundBy(answer)).resolves.toMatchObject({ outcome: 'unknown' });
  });

  it('is unknown for an order, so it never allows the order to be sent again', async () => {
    const answer = json(404, NOT_FOUND);
    const outcome = await withProvider(answer, (provider) => provider.pay(ORDER, IN_TIME));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
  });
});
