// Verifies and reads a webhook (protocol 7). The scheme is Standard Webhooks (decision 18), so any of its libraries verifies these too, and this verifies theirs).
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../domain/webhooks/event';
import { isEqualInConstantTime } from '../signing/hmac';
import { signWebhook, type WebhookMessage } from '../signing/webhook-signature';
import { systemNow, type Now } from './clock';
import { WebhookVerificationError } from './errors';
import { asInstant, asObject, asText, parseIntent, type Intent } from './intent';

const TOLERANCE_DEFAULT_SECONDS = 300;
const TIMESTAMP = /^[0-9]{1,12}$/;

interface EventHead {
  /** The event's id, the same on every attempt: remember it and act once. */
  readonly id: string;
  /** When it happened; attempts may be days later. */
  readonly timestamp: Date;
}

/** What has become of a payment. */
export interface PaymentIntentEvent extends EventHead {
  readonly type: WebhookEventType;
  /** The intent as it was then. */
  readonly data: Intent;
}

/** Of a type that a later revision has added: answer 204 and do nothing. */
export interface UnknownEvent extends EventHead {
  /** A text like the others; `String(event.type)` is it. */
  readonly type: UnknownEventType;
  /** The member `data` as it came; undefined where there is none. */
  readonly data: unknown;
}

declare const notKnown: unique symbol;
/** Declared as no string: only so does a comparison with a known type tell the compiler which of the two events it is. */
interface UnknownEventType {
  readonly [notKnown]: true;
  toString(): string;
}

export type WebhookEvent = PaymentIntentEvent | UnknownEvent;

/** As Node's `request.headers`, or anything with the `get` of fetch's Headers; names in any case. */
export type WebhookHeaders =
  Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** How far the attempt's time may lie from yours, in the past or in the future; seconds, 300 unless told. */
  readonly toleranceSeconds?: number;
  readonly now?: Now;
}

/**
 * Accepts a webhook if one of its signatures was made with one of the secrets and its time is near. Comparisons take constant time.
 * Types and members that a later revision adds are accepted. Deliveries repeat until you answer 2xx, so act once per `id`. No
 * order between events is promised.
 *
 * @param rawBody the body exactly as received, before any parser
 * @param secrets `whsec_…`, the one issued to you; the old and the new one while it rotates
 * @throws WebhookVerificationError when it is not a fresh webhook of the service
 * @throws Error when a secret is not of the form `whsec_…`, RangeError when the tolerance is no number of seconds: a setting of
 *   yours is wrong
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
    id: oneValue(headers, 'webhook-id'),
    timestamp: oneValue(headers, 'webhook-timestamp'),
    body: rawBody,
  };
  checkTime(message.timestamp, options);
  checkSignature(message, headerValues(headers, 'webhook-signature'), secrets);
  return readEvent(message);
}

function checkTime(timestamp: string, options: VerifyWebhookOptions): void {
  const { toleranceSeconds = TOLERANCE_DEFAULT_SECONDS, now = systemNow } = options;
  // Neither comparison below would refuse anything if one side were no number.
  if (!(toleranceSeconds >= 0)) throw new RangeError('toleranceSeconds is 0 or more seconds.');
  if (!TIMESTAMP.test(timestamp)) throw new WebhookVerificationError('malformed_timestamp');
  const ageSeconds = Math.floor(now().getTime() / 1_000) - Number(timestamp);
  if (!(ageSeconds <= toleranceSeconds)) throw new WebhookVerificationError('timestamp_too_old');
  if (ageSeconds < -toleranceSeconds) throw new WebhookVerificationError('timestamp_too_new');
}

function checkSignature(
  message: WebhookMessage,
  values: readonly string[],
  secrets: readonly string[],
): void {
  const expected = secrets.map((secret) => signWebhook(message, secret));
  const isKnown = (given: string) =>
    expected.some((signature) => isEqualInConstantTime(given, signature));
  // `v1a` and whatever else the list may hold are other schemes: they equal nothing and are passed over. Repeated headers
  // are joined by a comma and a blank on their way.
  const given = values.flatMap((value) => value.split(/,? +/));
  if (!given.some(isKnown)) throw new WebhookVerificationError('no_matching_signature');
}

function readEvent({ id, body }: WebhookMessage): WebhookEvent {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const members = asObject(JSON.parse(text));
    const head = { id, timestamp: asInstant(members, 'timestamp') };
    const type = asText(members, 'type');
    return isKnownType(type)
      ? { ...head, type, data: parseIntent(members['data']) }
      : { ...head, type: asUnknownType(type), data: members['data'] };
  } catch (cause) {
    throw new WebhookVerificationError('unreadable_body', { cause });
  }
}

function asUnknownType(type: string): UnknownEventType {
  return type as unknown as UnknownEventType;
}

function isKnownType(type: string): type is WebhookEventType {
  return WEBHOOK_EVENT_TYPES.some((known) => known === type);
}

function oneValue(headers: WebhookHeaders, name: string): string {
  const [value = '', ...more] = headerValues(headers, name);
  if (more.length > 0) throw new WebhookVerificationError('repeated_header');
  return value;
}

/** At least one. */
function headerValues(headers: WebhookHeaders, name: string): readonly string[] {
  const values = hasGet(headers) ? [headers.get(name)] : plainValues(headers, name);
  const given = values.filter((value) => typeof value === 'string').filter((text) => text !== '');
  if (given.length === 0) throw new WebhookVerificationError('missing_header');
  return given;
}

/** Not `instanceof`: frameworks and their tests bring a class of their own. */
function hasGet(headers: WebhookHeaders): headers is Pick<Headers, 'get'> {
  return typeof headers.get === 'function';
}

function plainValues(headers: Exclude<WebhookHeaders, Pick<Headers, 'get'>>, name: string) {
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value);
}
