// A sender of webhooks that is answered by a script and remembers what it posted. It is held to the port's contract
// (test/contracts/webhook-sender.test.ts).
import type { WebhookPost, WebhookReply, WebhookSender } from '../../../src/ports/webhook-sender';

/** @param replies in order; the last one is repeated */
export function scriptedSender(replies: WebhookReply[], posted: WebhookPost[]): WebhookSender {
  return {
    post(message) {
      posted.push(message);
      const next = replies.length > 1 ? replies.shift() : replies[0];
      return Promise.resolve(next ?? TAKEN);
    },
  };
}

const TAKEN: WebhookReply = { status: 200, retryAfter: undefined, excerpt: '' };
