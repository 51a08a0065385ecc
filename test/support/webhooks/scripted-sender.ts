// A sender of webhooks with scripted replies that records its posts.
// test/contracts/webhook-sender.test.ts checks it against the port's contract.
import type { WebhookPost, WebhookReply, WebhookSender } from '../../../src/ports/webhook-sender';

/** @param replies in order; the last is repeated */
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
