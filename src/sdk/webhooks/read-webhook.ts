// Reads a webhook (protocol 7): everything that does not need a hash. verify-webhook.ts and
// verify-webhook-edge.ts verify its signatures, by Node and by Web Crypto.
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../domain/webhooks/event';
import type { WebhookMessage } from '../../signing/webhook-signature';
import { systemNow, type Now } from '../clock';
import { WebhookVerificationError } from '../errors';
import { asInstant, asObject, asText, parseIntent, type Intent } from '../intent';
import { parsePayout, type Payout } from './payout';

const TOLERANCE_DEFAULT_SECONDS = 300;
const TIMESTAMP = /^[0-9]{1,12}$/;

interface EventHead {
  /** The event's id, the same on every attempt: store it and act once. */
  readonly id: string;
  /** When the event happened. Attempts may be days later. */
  readonly timestamp: Date;
}

/** A known event about a payment intent. */
export interface PaymentIntentEvent extends EventHead {
  readonly type: WebhookEventType;
  /** The intent when the event happened. */
  readonly data: Intent;
  readonly payout: Payout;
}

/** An event of a type that a later revision has added: answer 204 and do nothing. */
export interface UnknownEvent extends EventHead {
  /** The type as sent. Use `String(event.type)` to read it. */
  readonly type: UnknownEventType;
  /** The member `data` as received; undefined when there is none. */
  readonly data: unknown;
}

declare const notKnown: unique symbol;
/** Not declared as a string, so that comparing `type` with a known type narrows `WebhookEvent`. */
interface UnknownEventType {
  readonly [notKnown]: true;
  toString(): string;
}

export type WebhookEvent = PaymentIntentEvent | UnknownEvent;

/** Node's `request.headers`, or an object with the `get` of fetch's Headers. Names in any case. */
export type WebhookHeaders =
  Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** The largest difference between the attempt's time and yours, in seconds. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Your clock. Default: the system clock. */
  readonly now?: Now;
}

/** A fresh request of which no signature was verified yet. */
export interface WebhookAttempt {
  readonly message: WebhookMessage;
  /** Those in its header. */
  readonly signatures: readonly string[];
}

/** @throws as verifyWebhook, except for a secret of another form */
export function readAttempt(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: readonly string[],
  options: VerifyWebhookOptions,
): WebhookAttempt {
  requireRightKinds(rawBody, secrets);
  const message: WebhookMessage = {
    id: oneValue(headers, 'webhook-id'),
    timestamp: oneValue(headers, 'webhook-timestamp'),
    body: rawBody,
  };
  checkTime(message.timestamp, options);
  const values = headerValues(headers, 'webhook-signature');
  // Signatures of other schemes, such as `v1a`, match nothing and are ignored. HTTP may join
  // repeated headers with a comma and a space.
  return { message, signatures: values.flatMap((value) => value.split(/,? +/)) };
}

/** The two usual mistakes of callers without types. */
function requireRightKinds(rawBody: unknown, secrets: unknown): void {
  if (typeof rawBody !== 'string' && !ArrayBuffer.isView(rawBody)) {
    throw new TypeError(
      'rawBody was parsed: give the bytes as received, such as those of express.raw() or of await request.text()',
    );
  }
  requireList(secrets);
}

export function requireList(secrets: unknown): void {
  if (!Array.isArray(secrets)) {
    throw new TypeError('secrets is not a list: give [secret], and during a rotation both');
  }
  if (secrets.length > 0) return;
  throw new TypeError('secrets is empty: is the variable of the secret set?');
}

function checkTime(timestamp: string, options: VerifyWebhookOptions): void {
  const { toleranceSeconds = TOLERANCE_DEFAULT_SECONDS, now = systemNow } = options;
  // With NaN the comparisons below would accept every timestamp.
  if (!(toleranceSeconds >= 0)) throw new RangeError('toleranceSeconds is not 0 or more seconds');
  if (!TIMESTAMP.test(timestamp)) throw new WebhookVerificationError('malformed_timestamp');
  const ageSeconds = Math.floor(now().getTime() / 1_000) - Number(timestamp);
  if (!(ageSeconds <= toleranceSeconds)) throw new WebhookVerificationError('timestamp_too_old');
  if (ageSeconds < -toleranceSeconds) throw new WebhookVerificationError('timestamp_too_new');
}

/**
 * @param expected the signatures that the service makes of the attempt with the caller's secrets
 * @param isEqual in constant time
 */
export function acceptedEvent(
  { message, signatures }: WebhookAttempt,
  expected: readonly string[],
  isEqual: (given: string, expected: string) => boolean,
): WebhookEvent {
  const isKnown = (given: string) => expected.some((signature) => isEqual(given, signature));
  if (!signatures.some(isKnown)) throw new WebhookVerificationError('no_matching_signature');
  return readEvent(message);
}

function readEvent({ id, body }: WebhookMessage): WebhookEvent {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const members = asObject(JSON.parse(text));
    const head = { id, timestamp: asInstant(members, 'timestamp') };
    const type = asText(members, 'type');
    const { data } = members;
    if (!isKnownType(type)) return { ...head, type: type as unknown as UnknownEventType, data };
    return { ...head, type, data: parseIntent(data), payout: parsePayout(members['payout']) };
  } catch (cause) {
    throw new WebhookVerificationError('unreadable_body', { cause });
  }
}

function isKnownType(type: string): type is WebhookEventType {
  return WEBHOOK_EVENT_TYPES.some((known) => known === type);
}

function oneValue(headers: WebhookHeaders, name: string): string {
  const [value = '', ...more] = headerValues(headers, name);
  if (more.length > 0) throw new WebhookVerificationError('repeated_header');
  return value;
}

/** @returns at least one value */
function headerValues(headers: WebhookHeaders, name: string): readonly string[] {
  const values = hasGet(headers) ? [headers.get(name)] : plainValues(headers, name);
  const given = values.filter((value) => typeof value === 'string').filter((text) => text !== '');
  if (given.length === 0) throw new WebhookVerificationError('missing_header');
  return given;
}

/** Not `instanceof`, because frameworks and test tools have their own Headers classes. */
function hasGet(headers: WebhookHeaders): headers is Pick<Headers, 'get'> {
  return typeof headers.get === 'function';
}

function plainValues(headers: Exclude<WebhookHeaders, Pick<Headers, 'get'>>, name: string) {
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value);
}
