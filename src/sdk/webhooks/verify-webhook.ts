// Verifies a webhook by Node's crypto (protocol 7). The scheme is Standard Webhooks (decision 18),
// so it is compatible with the libraries of that standard.
import { isEqualInConstantTime } from '../../signing/hmac';
import { signWebhook } from '../../signing/webhook-signature';
import {
  acceptedEvent,
  readAttempt,
  type VerifyWebhookOptions,
  type WebhookEvent,
  type WebhookHeaders,
} from './read-webhook';

/**
 * Accepts a webhook if one of its signatures was made with one of the secrets and its time is near
 * yours. Signatures are compared in constant time. New event types and members are accepted.
 * Attempts repeat until you answer 2xx, so act once per `id`. Events may arrive in any order.
 *
 * @param rawBody the body exactly as received, before any parser
 * @param secrets your `whsec_…` secret; during a rotation the old and the new one
 * @throws WebhookVerificationError when it is not a recent webhook of the service
 * @throws Error when a secret is not of the form `whsec_…`
 * @throws TypeError when the body was parsed, or `secrets` is empty or not a list
 * @throws RangeError when `toleranceSeconds` is not 0 or more seconds
 * @example
 * ```ts
 * const event = verifyWebhook(rawBody, request.headers, [webhookSecret]);
 * if (event.type === 'payment_intent.captured') ship(event.data.intentId);
 * ```
 */
// Four parameters: the three that users of Standard Webhooks expect, and rarely needed options.
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: readonly string[],
  options: VerifyWebhookOptions = {},
): WebhookEvent {
  const attempt = readAttempt(rawBody, headers, secrets, options);
  const expected = secrets.map((secret) => signWebhook(attempt.message, secret));
  return acceptedEvent(attempt, expected, isEqualInConstantTime);
}
