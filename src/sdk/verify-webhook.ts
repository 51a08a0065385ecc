// Verifies and reads a webhook (spec, "Events": "the service sends a signed webhook POST"; scheme and payload are
// decision 18: Standard Webhooks, so any of its libraries verifies these too, and this verifies theirs).
import type { WebhookEventType } from '../domain/webhook-event';
import { isEqualInConstantTime } from '../signing/hmac';
import { signWebhook, type WebhookMessage } from '../signing/webhook-signature';
import { systemNow, type Now } from './clock';
import { WebhookVerificationError } from './errors';
import { asInstant, asObject, asText, parseIntent, type Intent } from './intent';

const TOLERANCE_DEFAULT_SECONDS = 300;
const TIMESTAMP = /^[0-9]{1,12}$/;

export interface WebhookEvent {
  /** The event's id, the same on every attempt: remember it and act once. */
  readonly id: string;
  /** A later revision may add types: answer 204 to those you do not know. */
  readonly type: WebhookEventType | (string & Record<never, never>);
  /** When it happened; attempts may be days later. */
  readonly timestamp: Date;
  /** The intent as it was then. */
  readonly data: Intent;
}

/** As Node's `request.headers`, or as the Headers of a fetch-style framework; names in any case. */
export type WebhookHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** How far the attempt's time may lie from yours, in the past or in the future; seconds, 300 unless told. */
  readonly toleranceSeconds?: number;
  readonly now?: Now;
}

/**
 * Accepts a webhook if one of its signatures was made with one of the secrets and its time is near. Comparisons take constant time.
 * Deliveries repeat until you answer 2xx, so act once per `id`. No order between events is promised.
 *
 * @param rawBody the body exactly as received, before any parser
 * @param secrets `whsec_…`, the one issued to you; the old and the new one while it rotates
 * @throws WebhookVerificationError when it is not a fresh webhook of the service
 * @throws Error when a secret is not of the form `whsec_…`: a setting of yours is wrong
 * @example
 * ```ts
 * const event = verifyWebhook(rawBody, request.headers, [webhookSecret]);
 * if (event.type === 'payment_intent.captured') ship(event.data.intentId);
 * ```
 */
// Four parameters: the three that every Standard Webhooks user expects, and options that few need.
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: readonly string[],
  options: VerifyWebhookOptions = {},
): WebhookEvent {
  const message: WebhookMessage = {
    id: headerValue(headers, 'webhook-id'),
    timestamp: headerValue(headers, 'webhook-timestamp'),
    body: rawBody,
  };
  checkTime(message.timestamp, options);
  checkSignature(message, headerValue(headers, 'webhook-signature'), secrets);
  return readEvent(message);
}

function checkTime(timestamp: string, options: VerifyWebhookOptions): void {
  const { toleranceSeconds = TOLERANCE_DEFAULT_SECONDS, now = systemNow } = options;
  if (!TIMESTAMP.test(timestamp)) throw new WebhookVerificationError('malformed_timestamp');
  const ageSeconds = Math.floor(now().getTime() / 1_000) - Number(timestamp);
  if (ageSeconds > toleranceSeconds) throw new WebhookVerificationError('timestamp_too_old');
  if (ageSeconds < -toleranceSeconds) throw new WebhookVerificationError('timestamp_too_new');
}

function checkSignature(message: WebhookMessage, list: string, secrets: readonly string[]): void {
  const expected = secrets.map((secret) => signWebhook(message, secret));
  const isKnown = (given: string) =>
    expected.some((signature) => isEqualInConstantTime(given, signature));
  // `v1a` and whatever else the list may hold are other schemes: they equal nothing and are passed over.
  if (!list.split(' ').some(isKnown)) throw new WebhookVerificationError('no_matching_signature');
}

function readEvent({ id, body }: WebhookMessage): WebhookEvent {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const members = asObject(JSON.parse(text));
    return {
      id,
      type: asText(members, 'type'),
      timestamp: asInstant(members, 'timestamp'),
      data: parseIntent(members['data']),
    };
  } catch (cause) {
    throw new WebhookVerificationError('unreadable_body', { cause });
  }
}

function headerValue(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : plainHeader(headers, name);
  if (typeof value !== 'string' || value === '') {
    throw new WebhookVerificationError('missing_header');
  }
  return value;
}

function plainHeader(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
