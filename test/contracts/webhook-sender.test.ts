// Port webhook-sender, one test per sentence of it: of the HTTP adapter with an endpoint behind it, and of the script that
// payments are tested with. How an attempt is signed is the adapter's own (test/http/webhook-sender.test.ts).
import { createServer, type ServerResponse } from 'node:http';
import { createOutbound } from '../../src/http/outbound';
import { createWebhookSender } from '../../src/http/webhook-sender';
import { listen } from '../../src/main/listen';
import type { WebhookPost, WebhookReply, WebhookSender } from '../../src/ports/webhook-sender';
import { recogniseErrorsOfNode } from '../support/builders';
import { scriptedSender } from '../support/webhooks/scripted-sender';

recogniseErrorsOfNode();

const FATES = {
  'is taken': { status: 200, retryAfter: undefined, excerpt: 'thanks' },
  'is not taken now': { status: 503, retryAfter: '120', excerpt: 'later' },
  'is sent elsewhere': { status: 307, retryAfter: undefined, excerpt: '' },
} as const satisfies Record<string, WebhookReply>;

interface SenderUnderTest {
  readonly sender: WebhookSender;
  /** An endpoint that answers so from now on; null does not answer. */
  endpoint(reply: WebhookReply | null): string;
  /** How often something was posted. */
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
  ['the script of the payments’ tests', openScript],
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

  it.each(Object.entries(FATES))(
    'posts once what %s, and tells what was answered',
    async (_fate, reply) => {
      await expect(post(under.endpoint(reply))).resolves.toEqual(reply);
      expect(under.posts()).toBe(1);
    },
  );

  it('never throws: what is not answered is told by a short text', async () => {
    const error = expect.stringMatching(/^.{1,80}$/) as unknown;
    await expect(post(under.endpoint(null))).resolves.toEqual({ error });
    expect(under.posts()).toBe(1);
  });
});
