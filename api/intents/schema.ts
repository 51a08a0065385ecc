// Parses bodies and headers of create (protocol 5.2; decision 24) and of confirm (protocol 5.6).
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { headerValues } from '../headers';
import { hasCharacters } from '../../src/domain/characters';
import { CORRIDORS, type Corridor } from '../../src/corridors/names';
import { DomainError } from '../../src/domain/errors';
import { QUOTE_ID } from '../../src/domain/ids';
import { faultOfJsonType } from '../../src/domain/media-type';
import {
  AMOUNT_MAX_USD_CENTS,
  AMOUNT_MIN_USD_CENTS,
  IDEMPOTENCY_KEY_MAX_CHARACTERS,
  PARTNER_USER_ID_MAX_CHARACTERS,
} from '../../src/domain/limits';
import { usdCents, type UsdCents } from '../../src/domain/money';
import { parseStrictJson, UnclearJson } from '../../src/signing/strict-json';

interface CreateIntentRequest {
  readonly partnerUserId: string;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
}

const createSchema = z.strictObject({
  partner_user_id: z
    .string('must be a string')
    .refine(
      (text) => hasCharacters(text, PARTNER_USER_ID_MAX_CHARACTERS),
      'must have 1 to 256 characters',
    )
    .refine(
      (text) => text.isWellFormed() && !text.includes('\0'),
      'must be valid text without NUL',
    ),
  amount_usd_cents: z
    .int('must be an integer')
    .min(AMOUNT_MIN_USD_CENTS, 'must be at least 1')
    .max(AMOUNT_MAX_USD_CENTS, 'must be at most 100000000'),
  corridor: z.enum(CORRIDORS, `must be ${CORRIDORS.join(' or ')}`),
});

/** @throws DomainError `validation_failed` that names the first invalid member */
export function parseCreateRequest(body: Buffer): CreateIntentRequest {
  const parsed = createSchema.safeParse(parseJsonObject(body));
  if (!parsed.success) throw invalidMember(parsed.error);
  return {
    partnerUserId: parsed.data.partner_user_id,
    amountUsdCents: usdCents(parsed.data.amount_usd_cents),
    corridor: parsed.data.corridor,
  };
}

const qrPayload = z
  .string('must be a string')
  .refine((text) => text.trim() === text, 'must not begin or end with white space');

const quoteSchema = z.strictObject({ qr_payload: qrPayload });

/** @throws DomainError `validation_failed` that names the invalid member and not its value */
export function parseQuoteRequest(body: Buffer): string {
  const parsed = quoteSchema.safeParse(parseJsonObject(body));
  if (!parsed.success) throw invalidMember(parsed.error);
  return parsed.data.qr_payload;
}

/** What a quote shows. Postgres takes no control characters. */
const [name, digits] = [
  z.string().regex(/^[^\p{Cc}\p{Cs}]{1,140}$/u),
  z.string().regex(/^[\d.]{1,32}$/),
];
const shownSchema = z.strictObject({
  payee: z.strictObject({ name: name.nullable(), verified: z.boolean() }),
  local: z.strictObject({ currency: z.string().regex(/^[A-Z]{3}$/), amount: z.int() }),
  rate: digits.nullable(),
});
const isShown = (given: unknown) => shownSchema.safeParse(given).success;

const confirmSchema = z
  .strictObject({
    qr_payload: qrPayload.optional(),
    quote_id: z.string('must be a string').regex(QUOTE_ID, 'is not the id of a quote').optional(),
    shown: z.custom<object>(isShown, 'is not what a quote shows').optional(),
  })
  .refine((body) => body.quote_id === undefined || body.qr_payload !== undefined, {
    ...{ path: ['quote_id'], message: 'needs qr_payload' },
  })
  .refine((body) => body.shown === undefined || body.quote_id !== undefined, {
    ...{ path: ['shown'], message: 'needs quote_id' },
  });

type ConfirmBody = z.infer<typeof confirmSchema>;

/**
 * "Request body: none defined." Accepts no body, an empty object, or an object with the scanned
 * code and its quote. It does not validate the code.
 * @throws DomainError `validation_failed` that names the invalid member and never repeats its value
 */
export function parseConfirmRequest(body: Buffer): ConfirmBody {
  if (body.length === 0) return {};
  const parsed = confirmSchema.safeParse(parseJsonObject(body));
  if (!parsed.success) throw invalidMember(parsed.error);
  return parsed.data;
}

/** @throws DomainError `validation_failed` unless the body is a JSON object in UTF-8 */
function parseJsonObject(body: Buffer): object {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('The body must be a JSON object.');
  }
  return value;
}

function parseJson(body: Buffer): unknown {
  try {
    return parseStrictJson(body);
  } catch (error) {
    if (!(error instanceof UnclearJson)) throw error;
    throw new DomainError('validation_failed', { detail: error.message, cause: error.cause });
  }
}

/**
 * @throws DomainError unless the header is absent or 1 to 256 printable ASCII characters (decision
 * 14)
 */
export function parseIdempotencyKey(values: readonly string[]): string | undefined {
  const [key] = values;
  if (key === undefined) return undefined;
  if (key === '') {
    throw invalid('Idempotency-Key is empty. Send 1 to 256 characters, or leave the header out.');
  }
  const isWellFormed = /^[\x20-\x7e]+$/.test(key) && key.length <= IDEMPOTENCY_KEY_MAX_CHARACTERS;
  if (values.length > 1 || !isWellFormed) {
    throw invalid('Idempotency-Key must be one value of 1 to 256 printable ASCII characters.');
  }
  return key;
}

/** @throws DomainError unless exactly one Content-Type declares JSON, not encoded */
export function requireJson(request: IncomingMessage): void {
  const [contentType = '', ...others] = headerValues(request, 'content-type');
  const fault = faultOfJsonType(contentType);
  if (fault !== undefined) throw invalid(fault);
  if (others.length > 0) throw invalid('There is more than one Content-Type header.');
  const codings = headerValues(request, 'content-encoding').join().split(',');
  if (codings.every((coding) => /^(identity)?$/i.test(coding.trim()))) return;
  throw invalid('Content-Encoding is not supported: send the body as it is.');
}

export function invalid(detail: string): DomainError {
  return new DomainError('validation_failed', { detail });
}

/** A name that log and answer may repeat; any other may be a text that was sent by mistake. */
const SHOWABLE_NAME = /^[A-Za-z_][\w.:-]{0,63}$/;

function invalidMember({ issues: [issue] }: z.ZodError): DomainError {
  if (issue?.code === 'unrecognized_keys') return undefinedMember(issue.keys);
  const member = issue?.path.map(String).join('.');
  // Without a path the body itself is wrong.
  if (!member) return invalid('The body is not valid.');
  const detail = `${member} ${issue?.message ?? 'is not valid'}.`;
  return new DomainError('validation_failed', { detail, member });
}

function undefinedMember(names: readonly string[]): DomainError {
  const member = names.find((name) => SHOWABLE_NAME.test(name));
  if (member === undefined) return invalid('The body has a member that is not defined.');
  const detail = `The body has the member ${member}, which is not defined.`;
  return new DomainError('validation_failed', { detail, member });
}
