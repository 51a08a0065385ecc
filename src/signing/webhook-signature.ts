// Standard Webhooks signatures, version `v1` (the specification is silent; decision 18).
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

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
export function signWebhook(message: WebhookMessage, secret: string): string {
  return signWith(webhookKey(secret), message);
}

/** Read once for as long as somebody has these secrets: a backlog is signed by the same ones thousands of times. */
const keysOfSecrets = new WeakMap<readonly string[], readonly KeyObject[]>();

/** The value of `webhook-signature`: one signature per secret, separated by blanks, while a secret rotates. */
export function webhookSignatureHeader(
  message: WebhookMessage,
  secrets: readonly string[],
): string {
  const keys = keysOfSecrets.get(secrets) ?? remember(secrets);
  return keys.map((key) => signWith(key, message)).join(' ');
}

function remember(secrets: readonly string[]): readonly KeyObject[] {
  const keys = secrets.map(webhookKey);
  keysOfSecrets.set(secrets, keys);
  return keys;
}

function signWith(key: KeyObject, { id, timestamp, body }: WebhookMessage): string {
  const hmac = createHmac('sha256', key);
  if (typeof body === 'string') hmac.update(`${id}.${timestamp}.${body}`, 'utf8');
  else hmac.update(`${id}.${timestamp}.`, 'utf8').update(body);
  return `v1,${hmac.digest('base64')}`;
}

function webhookKey(secret: string): KeyObject {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  const key = Buffer.from(text, 'base64');
  // Node skips what is not base64: a mistyped secret would silently become another key.
  if (text === '' || key.toString('base64') !== text) {
    throw new Error('A webhook secret is `whsec_` followed by the key in base64.');
  }
  return createSecretKey(key);
}
