// Contract of the port webhook-sender, one test per sentence, for the HTTP adapter and for the
// scripted sender of payment tests. test/http/webhook-sender.test.ts tests the signature of an
// attempt.
import { createServer, type ServerResponse } from 'node:http';
import { createOutbound } from '../../src/http/outbound';
import { createWebhookSender } from '../../src/http/webhook-sender';
import { listen } from '../../src/main/listen';
import type { WebhookPost, WebhookReply, WebhookSender } from '../../src/ports/webhook-sender';
import { recogniseErrorsOfNode } from '../support/builders';
import { scriptedSender } from '../support/webhooks/scripted-sender';

recogniseErrorsOfNode();

const REPLIES = {
  'is accepted': { status: 200, retryAfter: undefined, excerpt: 'thanks' },
  'is not accepted now': { status: 503, retryAfter: '120', excerpt: 'later' },
  'is redirected': { status: 307, retryAfter: undefined, excerpt: '' },
} as const satisfies Record<string, WebhookReply>;

interface SenderUnderTest {
  readonly sender: WebhookSender;
  /** Makes the endpoint answer so; null closes the connection without an answer. */
  endpoint(reply: WebhookReply | null): string;
  /** The number of posts so far. */
  posts(): number;
  close(): Promise<void>;
}

async function openHttp(): Promise<SenderUnderTest> {
  let posts = 0;
  let answer: (response: ServerResponse) => void = () => undefined;
  const server = createServer((_request, response) => {
    posts += 1;
    answer(response);
  });
  const url = `http://127.0.0.1:${String(await listen(server, 0, '127.0.0.1'))}/hook`;
  const outbound = createOutbound();
  return {
    sender: createWebhookSender(outbound),
    endpoint(reply) {
      answer = (response) => {
        if (reply === null || 'error' in reply) {
          response.destroy();
          return;
        }
        const { status, retryAfter, excerpt } = reply;
        const wait = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
        response.writeHead(status, { Location: url, ...wait }).end(excerpt);
      };
      return url;
    },
    posts: () => posts,
    async close() {
      await outbound.close();
      server.close();
    },
  };
}

function openScript(): Promise<SenderUnderTest> {
  const replies: WebhookReply[] = [];
  const posted: WebhookPost[] = [];
  return Promise.resolve({
    sender: scriptedSender(replies, posted),
    endpoint(reply) {
      replies.splice(0, replies.length, reply ?? { error: 'scripted silence' });
      return 'https://acme.example/hook';
    },
    posts: () => posted.length,
    close: () => Promise.resolve(),
  });
}

describe.each([
  ['the HTTP adapter', openHttp],
  ['the scripted sender of payment tests', openScript],
])('%s as the sender of webhooks', (_name, open) => {
  let under: SenderUnderTest;
  beforeEach(async () => {
    under = await open();
  });
  afterEach(() => under.close());

  const post = (url: string) =>
    under.sender.post({
      url,
      eventId: 'evt_1',
      sentAt: new Date(0),
      body: '{}',
      secrets: ['whsec_b25l'],
    });

  it.each(Object.entries(REPLIES))(
    'posts once when the webhook %s, and returns the answer',
    async (_name, reply) => {
      await expect(post(under.endpoint(reply))).resolves.toEqual(reply);
      expect(under.posts()).toBe(1);
    },
  );

  it('never throws: it returns a short error when there is no answer', async () => {
    const error = expect.stringMatching(/^.{1,80}$/) as unknown;
    await expect(post(under.endpoint(null))).resolves.toEqual({ error });
    expect(under.posts()).toBe(1);
  });
});
