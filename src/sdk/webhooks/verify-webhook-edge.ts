// Verifies a webhook by Web Crypto, for runtimes without Node's crypto (protocol 7; decision 18).
import { isEqualInConstantTime, signWebhook } from '../web-crypto';
import {
  acceptedEvent,
  readAttempt,
  type VerifyWebhookOptions,
  type WebhookEvent,
  type WebhookHeaders,
} from './read-webhook';

/**
 * As `verifyWebhook` of the package itself, but it returns a promise. **Danger: await it.** Only
 * the promise says whether the webhook is genuine.
 *
 * @example
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, [webhookSecret]);
 * if (event.type === 'payment_intent.captured') await ship(event.data.intentId);
 * ```
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const attempt = readAttempt(rawBody, headers, secrets, options);
  const signing = secrets.map((secret) => signWebhook(attempt.message, secret));
  return acceptedEvent(attempt, await Promise.all(signing), isEqualInConstantTime);
}
