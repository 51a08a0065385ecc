// The client over a real connection, with nothing of it replaced but the clock of its pauses.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createClient } from '../../src/sdk';
import { canonicalRequest } from '../../src/signing/canonical-request';
import { signCanonicalRequest } from '../../src/signing/hmac';
import { WIRE_INTENT } from './stub-service';

const SECRET = 'a signing secret';
let server: Server;
let requests: number;

beforeEach(async () => {
  requests = 0;
  server = createServer((request, response) => void answer(request, response)).listen(0);
  await once(server, 'listening');
});
afterEach(() => server.close());

/** Drops the first request's connection, then answers what is signed for the bytes that arrived. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  requests += 1;
  if (requests === 1) {
    request.socket.destroy();
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const header = (name: string) => String(request.headers[name]);
  const canonical = canonicalRequest({
    method: request.method ?? '',
    path: request.url ?? '',
    timestamp: header('x-service-timestamp'),
    nonce: header('x-service-nonce'),
    body: Buffer.concat(chunks),
  });
  const isRight = header('x-service-signature') === signCanonicalRequest(canonical, SECRET);
  response.writeHead(isRight ? 200 : 401).end(JSON.stringify(WIRE_INTENT));
}

describe('the client', () => {
  it.each(['createIntent', 'getIntent', 'cancelIntent'] as const)(
    'signs what arrives, also on the attempt after a dropped connection: %s',
    async (method) => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const client = createClient({
        baseUrl: `http://127.0.0.1:${port}`,
        keyId: 'acme_sandbox_2025q1',
        signingSecret: SECRET,
        wait: () => Promise.resolve(),
      });
      const order = { partnerUserId: 'đồng', amountUsdCents: 1250, corridor: 'vn_qrpay' } as const;
      const intent = await (method === 'createIntent'
        ? client.createIntent(order)
        : client[method](WIRE_INTENT.intent_id));
      expect(intent.intentId).toBe(WIRE_INTENT.intent_id);
      expect(requests).toBe(2);
    },
  );
});
