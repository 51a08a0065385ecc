// Port `WebhookSender`: sends Standard Webhooks (decision 18).
import {
  WEBHOOK_ANSWER_STORED_BYTES,
  WEBHOOK_ANSWER_MAX_BYTES,
  WEBHOOK_ATTEMPT_TIMEOUT_MS,
} from '../domain/limits';
import type { WebhookSender } from '../ports/webhooks';
import { webhookHeaders } from '../signing/webhook-signature';
import { ExchangeCancelled } from './exchange';
import type { Outbound, OutboundReply } from './outbound';

/**
 * @param timeoutMs for one attempt, from the name look-up to the end of the response (decision 19)
 */
export function createWebhookSender(
  outbound: Outbound,
  timeoutMs: number = WEBHOOK_ATTEMPT_TIMEOUT_MS,
): WebhookSender {
  return {
    async post({ url, eventId: id, body, sentAt, secrets }) {
      try {
        const reply = await outbound.send({
          method: 'POST',
          url,
          headers: webhookHeaders({ id, sentAt, body }, secrets),
          body,
          timeoutMs,
          maxBytes: WEBHOOK_ANSWER_MAX_BYTES,
        });
        const given = reply.headers['retry-after'];
        const retryAfter = typeof given === 'string' ? given : undefined;
        return { status: reply.status, retryAfter, excerpt: excerptOf(reply) };
      } catch (error) {
        // The worker is stopping: not a failure of the endpoint. The event is sent again after its
        // lease expires.
        if (error instanceof Error && error.cause instanceof ExchangeCancelled) throw error;
        return { error: error instanceof Error ? error.message : 'no answer' };
      }
    },
  };
}

/** The part of the response that is stored for operators. Postgres cannot store NUL in text. */
function excerptOf({ body }: OutboundReply): string {
  return body.subarray(0, WEBHOOK_ANSWER_STORED_BYTES).toString('utf8').replaceAll('\0', '');
}
