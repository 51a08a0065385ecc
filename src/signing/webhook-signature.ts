// Standard Webhooks signatures, version `v1` (protocol 7.3).
import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

export interface WebhookMessage {
  /** The value of `webhook-id`: the event's id, the same on every attempt. */
  readonly id: string;
  /** The value of `webhook-timestamp`: whole seconds since 1970, of this attempt. */
  readonly timestamp: string;
  /** The exact body. */
  readonly body: string | Uint8Array;
}

/**
 * One signature, `v1,<base64>`, over `id.timestamp.body`.
 * @param secret `whsec_` and the key in base64
 * @throws Error when the secret is not of that form; the message does not hold it
 */
export function signWebhook({ id, timestamp, body }: WebhookMessage, secret: string): string {
  const hmac = createHmac('sha256', webhookKey(secret)).update(`${id}.${timestamp}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
}

/** The value of `webhook-signature`: one signature per secret, separated by blanks, while a secret rotates. */
export function webhookSignatureHeader(
  message: WebhookMessage,
  secrets: readonly string[],
): string {
  return secrets.map((secret) => signWebhook(message, secret)).join(' ');
}

function webhookKey(secret: string): Buffer {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  const key = Buffer.from(text, 'base64');
  // Node skips what is not base64: a mistyped secret would silently become another key.
  if (text === '' || key.toString('base64') !== text) {
    throw new Error('A webhook secret is `whsec_` followed by the key in base64.');
  }
  return key;
}
