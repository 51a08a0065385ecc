// Port payout-provider over HTTP (architecture, section 6): whatever is not a clear answer is unknown, and never
// guessed.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createOutbound, type Outbound } from '../../src/http/outbound';
import { createPayoutProvider } from '../../src/http/payout-provider';
import { listen } from '../../src/main/listen';
import type { PayoutOrder, PayoutProvider } from '../../src/ports/payout-provider';
import { recogniseErrorsOfNode } from '../support/builders';
import { aVietnameseCode } from '../support/qr-codes';

recogniseErrorsOfNode();

const ORDER: PayoutOrder = {
  key: 'pi_1:payout',
  amountUsdCents: 1_250,
  corridor: 'vn_qrpay',
  qrPayload: null,
};
const TOKEN = 'a credential of the provider';

let outbound: Outbound;
beforeAll(() => {
  outbound = createOutbound();
});
afterAll(() => outbound.close());

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function withProvider<Result>(
  answer: Answer,
  work: (provider: PayoutProvider) => Promise<Result>,
): Promise<Result> {
  const server = createServer(answer);
  const port = await listen(server, 0, '127.0.0.1');
  try {
    const baseUrl = `http://127.0.0.1:${String(port)}`;
    return await work(createPayoutProvider(outbound, { baseUrl, token: TOKEN }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const json =
  (status: number, body: unknown): Answer =>
  (_, response) => {
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const said = (change: Record<string, unknown> = {}) => ({
  key: ORDER.key,
  status: 'paid',
  amount_usd_cents: 1_250,
  ...change,
});

async function received(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method, url, headers } = request;
  const body = Buffer.concat(chunks).toString();
  return { method, url, body, key: headers['idempotency-key'], credential: headers.authorization };
}

describe('the order', () => {
  const credential = `Bearer ${TOKEN}`;
  const question = { method: 'GET', url: '/payouts/pi_1%3Apayout', body: '', credential };

  /** What reaches the provider when the order is sent, and then asked about. */
  async function askedAbout(order: PayoutOrder): Promise<readonly unknown[]> {
    const asked: unknown[] = [];
    const answer: Answer = (request, response) => {
      void received(request).then((what) => {
        asked.push(what);
        response.end(JSON.stringify(said()));
      });
    };
    await withProvider(answer, async (provider) => {
      await provider.pay(order);
      await provider.find(order);
    });
    return asked;
  }

  it('is sent with its key, amount and corridor, and asked about by its key', async () => {
    const body = '{"amount_usd_cents":1250,"corridor":"vn_qrpay"}';
    expect(await askedAbout(ORDER)).toEqual([
      { method: 'POST', url: '/payouts', body, key: ORDER.key, credential },
      { ...question, key: undefined },
    ]);
  });

  it('is sent with the scanned code where there is one, and asked about without it', async () => {
    const qrPayload = aVietnameseCode();
    const body = `{"amount_usd_cents":1250,"corridor":"vn_qrpay","qr_payload":"${qrPayload}"}`;
    expect(await askedAbout({ ...ORDER, qrPayload })).toEqual([
      { method: 'POST', url: '/payouts', body, key: ORDER.key, credential },
      { ...question, key: undefined },
    ]);
  });
});

describe.each(['pay', 'find'] as const)('%s', (call) => {
  const outcomeOf = (answer: Answer) => withProvider(answer, (provider) => provider[call](ORDER));

  it.each(['paid', 'pending', 'declined'])('reports %s with the amount', async (status) => {
    await expect(outcomeOf(json(200, said({ status })))).resolves.toEqual({
      outcome: status,
      amountUsdCents: 1_250,
    });
  });

  it('reports the amount that the provider names, whatever was ordered', async () => {
    const outcome = await outcomeOf(json(200, said({ amount_usd_cents: 7 })));
    expect(outcome).toEqual({ outcome: 'paid', amountUsdCents: 7 });
  });

  it.each<[string, Answer]>([
    ['a 500', json(500, said())],
    ['a 503', json(503, '')],
    ['a 400', json(400, said())],
    ['a 302', json(302, said())],
    ['another key', json(200, said({ key: 'pi_2:payout' }))],
    ['another status', json(200, said({ status: 'PAID' }))],
    ['no amount', json(200, said({ amount_usd_cents: undefined }))],
    ['an amount of fractions', json(200, said({ amount_usd_cents: 1.5 }))],
    ['text', json(200, 'paid')],
    ['nothing', json(200, '')],
    ['an answer without end', (_, response) => response.end('x'.repeat(20_000))],
    ['a connection that is cut', (request) => request.socket.destroy()],
  ])('takes %s for unknown', async (_name, answer) => {
    await expect(outcomeOf(answer)).resolves.toMatchObject({ outcome: 'unknown' });
  });

  it('takes an address that nobody listens on for unknown, with a cause fit for operations', async () => {
    const server = createServer();
    const port = await listen(server, 0, '127.0.0.1');
    await new Promise((resolve) => server.close(resolve));
    const baseUrl = `http://127.0.0.1:${String(port)}`;
    const outcome = await createPayoutProvider(outbound, { baseUrl, token: TOKEN })[call](ORDER);
    expect(outcome).toEqual({ outcome: 'unknown', cause: 'connection refused' });
  });
});

describe('a 404', () => {
  it('says not found to a question by key', async () => {
    const outcome = await withProvider(json(404, ''), (provider) => provider.find(ORDER));
    expect(outcome).toEqual({ outcome: 'not_found' });
  });

  it('is unknown to an order: it never permits sending again', async () => {
    const outcome = await withProvider(json(404, ''), (provider) => provider.pay(ORDER));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
  });
});
