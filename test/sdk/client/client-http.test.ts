// The client over a real connection, in which only the pauses are replaced.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createClient, type Client } from '../../../src/sdk';
import { listen } from '../../../src/main/listen';
import { canonicalRequest } from '../../../src/signing/canonical-request';
import { signCanonicalRequest } from '../../../src/signing/hmac';
import { OPTIONS, ORDER, WIRE_INTENT } from './stub-service';

let server: Server;
let port: number;
let requests: number;

beforeEach(async () => {
  requests = 0;
  server = createServer((request, response) => void answer(request, response));
  port = await listen(server, 0, '127.0.0.1');
});
afterEach(() => server.close());

/**
 * Drops the connection of the first request. Later it answers 200 if the signature fits the bytes.
 */
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
  const isRight =
    header('x-service-signature') === signCanonicalRequest(canonical, OPTIONS.signingSecret);
  response.writeHead(isRight ? 200 : 401).end(JSON.stringify(WIRE_INTENT));
}

it.each(['createIntent', 'getIntent', 'cancelIntent'] as const)(
  '%s signs the bytes that arrive, also when it retries after a dropped connection',
  async (method) => {
    const baseUrl = `http://127.0.0.1:${port}`;
    const client = createClient({ ...OPTIONS, baseUrl, now: () => new Date() });
    const intent = await (method === 'createIntent'
      ? client.createIntent({ ...ORDER, partnerUserId: 'đồng' })
      : client[method](WIRE_INTENT.intent_id));
    expect(intent.intentId).toBe(WIRE_INTENT.intent_id);
    expect(requests).toBe(2);
  },
);

describe('a service that receives a request and never answers', () => {
  let silent: Server;
  let received: () => void;
  let client: Client;

  beforeEach(async () => {
    received = () => undefined;
    silent = createServer(() => received());
    const baseUrl = `http://127.0.0.1:${await listen(silent, 0, '127.0.0.1')}`;
    client = createClient({ ...OPTIONS, baseUrl, maxAttempts: 1 });
  });
  afterEach(() => {
    silent.closeAllConnections();
    silent.close();
  });

  it('is given up after timeoutMs, with an unknown outcome', async () => {
    const creating = client.createIntent(ORDER, { timeoutMs: 20, idempotencyKey: 'order-815' });
    await expect(creating).rejects.toMatchObject({
      reason: 'timed_out',
      message:
        'The service did not answer within 20 ms, after 1 attempt. The outcome is unknown: ' +
        'create again with the same Idempotency-Key, order-815.',
    });
  });

  it('is given up when the signal aborts, and its connection is closed', async () => {
    const controller = new AbortController();
    const closed = new Promise<void>((resolve) => {
      silent.on('connection', (socket) => socket.once('close', () => resolve()));
    });
    received = () => controller.abort();
    const creating = client.createIntent(ORDER, { signal: controller.signal });
    await expect(creating).rejects.toMatchObject({ reason: 'aborted', attempts: 1 });
    await closed;
  });
});
