// Ids and the keys derived from them. Randomness and time are arguments, because workflows use this
// file.

declare const brand: unique symbol;

export type IntentId = string & { readonly [brand]: 'IntentId' };
export type PartnerId = string & { readonly [brand]: 'PartnerId' };
export type EventId = string & { readonly [brand]: 'EventId' };

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const INTENT_ID = /^pi_[0-9a-hjkmnp-tv-z]{26}$/;
const EVENT_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;
export const QUOTE_ID = /^quote_[0-9a-hjkmnp-tv-z]{26}$/;
const PARTNER_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Random bytes that an id made by {@link makeIntentId} holds. */
export const ID_RANDOM_BYTES = 10;

/**
 * An intent id: `pi_`, then 48 bits of time and 80 random bits in Crockford base32 (architecture,
 * section 5), so that ids made later sort later and index pages stay hot.
 * @param epochMs milliseconds since 1970
 * @param random exactly {@link ID_RANDOM_BYTES} bytes
 */
export function makeIntentId(epochMs: number, random: Uint8Array): IntentId {
  return `pi_${timeSortedText(epochMs, random)}` as IntentId;
}

/**
 * A webhook event id, `evt_…`, built alike. It is the `webhook-id` of every attempt (decision 18).
 */
export function makeEventId(epochMs: number, random: Uint8Array): EventId {
  return `evt_${timeSortedText(epochMs, random)}` as EventId;
}

/** The id of a quote, `quote_…`, built alike. */
export function makeQuoteId(epochMs: number, random: Uint8Array): string {
  return `quote_${timeSortedText(epochMs, random)}`;
}

/** The id, or undefined if this service cannot have made the text. */
export function parseIntentId(text: string): IntentId | undefined {
  return INTENT_ID.test(text) ? (text as IntentId) : undefined;
}

/** Looked up instead of a malformed id. No such intent exists: its time is 1970. */
export const NO_INTENT_ID = `pi_${'0'.repeat(26)}` as IntentId;

/** The event id, or undefined if this service cannot have made the text. */
export function parseEventId(text: string): EventId | undefined {
  return EVENT_ID.test(text) ? (text as EventId) : undefined;
}

/** The partner's slug, or undefined if the text is none. */
export function parsePartnerId(text: string): PartnerId | undefined {
  return PARTNER_ID.test(text) ? (text as PartnerId) : undefined;
}

/**
 * Steps of a payment that move money. Each has one key, the same on every retry and after a reset.
 */
type MoneyStep = 'debit' | 'payout' | 'capture' | 'release' | 'refund';

/** The idempotency key of a money movement. Never random, so that a repeat has the same key. */
export function stepKey(intentId: IntentId, step: MoneyStep): string {
  return `${intentId}:${step}`;
}

function timeSortedText(epochMs: number, random: Uint8Array): string {
  if (random.length !== ID_RANDOM_BYTES)
    throw new RangeError('an id takes exactly ten random bytes');
  const [first, second] = [random.subarray(0, HALF_BYTES), random.subarray(HALF_BYTES)];
  return encode(epochMs, 10) + encode(toNumber(first), 8) + encode(toNumber(second), 8);
}

/** Forty bits fit exactly into a number and into eight characters. */
const HALF_BYTES = ID_RANDOM_BYTES / 2;

function toNumber(bytes: Uint8Array): number {
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}

function encode(number: number, characters: number): string {
  let text = '';
  for (let rest = number; text.length < characters; rest = Math.floor(rest / 32)) {
    text = CROCKFORD.charAt(rest % 32) + text;
  }
  return text;
}
