// Makes Standard Webhooks signatures, version `v1` (protocol 7.3).
import { createHmac } from 'node:crypto';
import { webhookKey } from './webhook-secret';

export interface WebhookMessage {
  /** The value of `webhook-id`: the event's id, the same on every attempt. */
  readonly id: string;
  /** The value of `webhook-timestamp`: whole seconds since 1970, of this attempt. */
  readonly timestamp: string;
  /** The exact body as sent. */
  readonly body: string | Uint8Array;
}

/**
 * Returns one signature, `v1,<base64>`, over `id.timestamp.body`.
 * @param secret `whsec_` followed by the key in base64
 * @throws Error when the secret has another form; the message does not contain it
 */
export function signWebhook({ id, timestamp, body }: WebhookMessage, secret: string): string {
  const hmac = createHmac('sha256', webhookKey(secret)).update(`${id}.${timestamp}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
}

/** The headers of one attempt: the sender's own, and those of the SDK's test webhooks. */
export function webhookHeaders(
  { id, sentAt, body }: Pick<WebhookMessage, 'id' | 'body'> & { readonly sentAt: Date },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  return {
    'content-type': 'application/json',
    'user-agent': 'payment-intents-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': webhookSignatureHeader({ id, timestamp, body }, secrets),
  };
}

/** The value of `webhook-signature`: one signature per secret, separated by a space. */
export function webhookSignatureHeader(
  message: WebhookMessage,
  secrets: readonly string[],
): string {
  return secrets.map((secret) => signWebhook(message, secret)).join(' ');
}
