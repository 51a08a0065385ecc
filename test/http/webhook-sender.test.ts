// Port `WebhookSender`: one Standard Webhooks attempt over HTTP (decisions 18 and 19).
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { createOutbound, type Outbound } from '../../src/http/outbound';
import { createWebhookSender } from '../../src/http/webhook-sender';
import { listen } from '../../src/main/listen';
import type { WebhookPost } from '../../src/ports/webhooks';
import { recogniseErrorsOfNode } from '../support/builders';

recogniseErrorsOfNode();

const SECRETS = ['one', 'two'].map(
  (text) => `whsec_${Buffer.from(text.repeat(10)).toString('base64')}`,
);
const BODY = '{"type":"payment_intent.captured","data":{"currency":"฿"}}';

let outbound: Outbound;
beforeAll(() => {
  outbound = createOutbound();
});
afterAll(() => outbound.close());

async function postTo(listener: RequestListener, change: Partial<WebhookPost> = {}) {
  const server = createServer(listener);
  const port = await listen(server, 0, '127.0.0.1');
  try {
    return await createWebhookSender(outbound).post({
      url: `http://127.0.0.1:${String(port)}/hook?a=b`,
      eventId: 'evt_1',
      // The signatures below are made for the whole second of this instant.
      sentAt: new Date('2026-03-02T12:00:00.900Z'),
      body: BODY,
      secrets: SECRETS,
      ...change,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function receive(change: Partial<WebhookPost> = {}): Promise<Received> {
  const received: Received[] = [];
  await postTo((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url, headers } = request;
      received.push({ url, headers, body: Buffer.concat(chunks).toString() });
      response.end();
    });
  }, change);
  const [first] = received;
  if (first === undefined) throw new Error('nothing was received');
  return first;
}

describe('an attempt', () => {
  it('sends the exact body with its id, a timestamp, and a signature per secret', async () => {
    const { url, headers, body } = await receive();
    expect([url, body]).toEqual(['/hook?a=b', BODY]);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1772452800',
    });
    const signatures = SECRETS.map((secret) =>
      new Webhook(secret).sign('evt_1', new Date('2026-03-02T12:00:00Z'), BODY),
    );
    expect(headers['webhook-signature']).toBe(signatures.join(' '));
  });
});

describe('the reply', () => {
  it('is not followed when it redirects', async () => {
    const urls: (string | undefined)[] = [];
    const reply = await postTo(({ url }, response) => {
      urls.push(url);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });
    expect(urls).toEqual(['/hook?a=b']);
    expect(reply).toEqual({ status: 307, retryAfter: undefined, excerpt: '' });
  });

  it('is a short error when there is no answer, after one post', async () => {
    let posts = 0;
    const reply = await postTo((_, response) => {
      posts += 1;
      response.destroy();
    });
    expect(reply).toEqual({ error: expect.stringMatching(/^.{1,80}$/) as unknown });
    expect(posts).toBe(1);
  });

  it('has no Retry-After if the endpoint sent none', async () => {
    const reply = await postTo((_, response) => response.end('thanks'));
    expect(reply).toEqual({ status: 200, retryAfter: undefined, excerpt: 'thanks' });
  });

  it('is that behind 100 Continue, after one post', async () => {
    let posts = 0;
    const reply = await postTo((_, response) => {
      posts += 1;
      response.writeContinue();
      response.end('ok');
    });
    expect([reply, posts]).toEqual([{ status: 200, retryAfter: undefined, excerpt: 'ok' }, 1]);
  });

  it('has Retry-After and the first kilobyte of the body, without NUL', async () => {
    const reply = await postTo((_, response) => {
      response.writeHead(503, { 'Retry-After': '120' }).end(`a\0b${'x'.repeat(10_000)}`);
    });
    expect(reply).toEqual({ status: 503, retryAfter: '120', excerpt: `ab${'x'.repeat(1_021)}` });
  });
});
