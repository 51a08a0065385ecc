// The partner backend's client for the signed endpoints (protocol 5.1: create, get, cancel). Confirm is not here:
// it accepts session tokens only.
import type { Corridor } from '../domain/corridor';
import { makeUniqueText, systemNow, type Now } from './clock';
import { ApiError, parseApiError, type AnswerFacts } from './errors';
import { parseIntent, type Intent } from './intent';
import { createServiceClock } from './service-clock';
import { sendSigned, type ApiAnswer, type ApiCall, type TransportOptions } from './transport';

export interface ClientOptions {
  /** "Base address" of the environment, without `/v1`. Sandbox keys work in the sandbox only. */
  readonly baseUrl: string;
  /** "Identifies the signing key. Format `<partner>_<env>_<quarter>`." */
  readonly keyId: string;
  /** The signing secret as it was issued; its UTF-8 bytes key the HMAC. Keep it out of logs. */
  readonly signingSecret: string;
  /** How long one attempt may take, milliseconds; 15 000 unless told. */
  readonly timeoutMs?: number;
  /** How often a call is sent at most, the first time included; 3 unless told, 1 for no repeats. */
  readonly maxAttempts?: number;
  /** For tests and for proxies of your own. */
  readonly fetch?: typeof fetch;
  /**
   * The clock that timestamps requests: "Rejected when more than 5 minutes off server time (either direction)." The client
   * corrects it, see {@link Client.now}.
   */
  readonly now?: Now;
  /** How the client pauses between attempts. */
  readonly wait?: (ms: number) => Promise<void>;
}

export interface CreateIntentInput {
  /** "Length 1 to 256. Partner's opaque user identifier": no personal data. */
  readonly partnerUserId: string;
  /** USD cents, "1 to 100000000 inclusive": `1250` is 12.50 dollars. */
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  /**
   * "Replaying the exact same request with the same key returns the original response." At most 256 characters. Made for you
   * when absent, which protects the repeats of this one call; give your own, such as your order number, and a call after a crash
   * of your process is safe too.
   */
  readonly idempotencyKey?: string;
}

/**
 * Every method signs, stops each attempt after `timeoutMs`, and repeats after a network error or a 502, 503 or 504, with a fresh
 * nonce. A 401 is repeated once where the answer's `Date` says that your clock is off, see {@link Client.now}. Every method
 * throws {@link ApiError} when the service refuses and ConnectionError when the last attempt was not answered.
 */
export interface Client {
  /**
   * Creates an intent. "`status` is always `created` on success." Safe to repeat with the same idempotency key.
   * ApiError codes: `validation_failed` (400, also for a key used with another body), `authentication_failed` (401),
   * `authorization_failed` (403), `amount_below_minimum` (422), `internal_error`. RangeError when the idempotency key could not
   * be sent.
   */
  createIntent(input: CreateIntentInput): Promise<Intent>;
  /** Fetches an intent of yours. Changes nothing. ApiError codes: `authentication_failed`, `authorization_failed`, `not_found`, `internal_error`. */
  getIntent(intentId: string): Promise<Intent>;
  /**
   * "Cancels an intent that is not yet captured." Here: whose payout was not yet sent. ApiError codes: as get, and `conflict` (409) when
   * it is too late or it was cancelled before. A repeat that meets its own success answers with the cancelled intent.
   */
  cancelIntent(intentId: string): Promise<Intent>;
  /**
   * Your clock, as this client has corrected it: hand it to `mintSessionToken` and `verifyWebhook` where clocks cannot be
   * trusted. A correction is made when a request is refused with 401 and the service's `Date` is between a minute and a day away
   * from your time: the request is then sent once more, and only if that one is not refused does the correction stay.
   * A missing, garbled or forged `Date` therefore costs one request at most. Set the clock all the same: until the first call
   * the client knows no better.
   */
  readonly now: Now;
}

/**
 * Makes a client. It holds no connection, and no state but the correction of your clock: make one and keep it.
 *
 * @throws TypeError when `baseUrl` is not an absolute URL, or `keyId` or `signingSecret` is missing
 * @throws RangeError when `maxAttempts` is not a whole number from 1 on
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'http://127.0.0.1:8080', keyId, signingSecret });
 * const intent = await client.createIntent({
 *   partnerUserId: 'user-4711',
 *   amountUsdCents: 1250,
 *   corridor: 'th_qrpay',
 *   idempotencyKey: 'order-2024-000815',
 * });
 * console.log(intent.intentId, intent.status); // pi_… created
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const transport = withDefaults(options);
  return {
    createIntent: (input) => createIntent(input, transport),
    getIntent: (intentId) => readIntent({ method: 'GET', path: pathOf(intentId) }, transport),
    cancelIntent: (intentId) => cancelIntent(intentId, transport),
    now: transport.clock.now,
  };
}

async function createIntent(
  input: CreateIntentInput,
  transport: TransportOptions,
): Promise<Intent> {
  const body = JSON.stringify({
    partner_user_id: input.partnerUserId,
    amount_usd_cents: input.amountUsdCents,
    corridor: input.corridor,
  });
  const idempotencyKey = checkedKey(input.idempotencyKey ?? makeUniqueText());
  const call = { method: 'POST', path: '/v1/payment_intents', body, idempotencyKey } as const;
  return readIntent(call, transport);
}

/** A header would lose the blanks around it, and cannot hold what is not ASCII. */
function checkedKey(key: string): string {
  if (/^[\x20-\x7e]{1,256}$/.test(key) && key.trim() === key) return key;
  throw new RangeError('idempotencyKey is not 1 to 256 printable ASCII characters');
}

/** A repeat may find what the first attempt, whose answer was lost, has done: then the 409 means success. */
async function cancelIntent(intentId: string, transport: TransportOptions): Promise<Intent> {
  const answer = await sendSigned(
    { method: 'POST', path: `${pathOf(intentId)}/cancel` },
    transport,
  );
  if (answer.status === 409 && answer.isRepeat) {
    const found = await sendSigned({ method: 'GET', path: pathOf(intentId) }, transport);
    const intent = intentIn({ ...found, isRepeat: true });
    if (intent.status === 'cancelled') return intent;
  }
  return intentIn(answer);
}

async function readIntent(call: ApiCall, transport: TransportOptions): Promise<Intent> {
  return intentIn(await sendSigned(call, transport));
}

function intentIn({ status, headers, text, isRepeat }: ApiAnswer): Intent {
  const about = { status, requestId: headers.get('X-Request-Id') ?? undefined, isRepeat };
  const body = parseJson(text);
  if (status !== 200 && status !== 201) throw parseApiError(body, about);
  try {
    return parseIntent(body);
  } catch (cause) {
    throw unexpectedAnswer(about, cause);
  }
}

function unexpectedAnswer(about: AnswerFacts, cause: unknown): ApiError {
  const message = 'The answer does not hold a payment intent.';
  const error = new ApiError({ ...about, code: 'unexpected_answer', message });
  error.cause = cause;
  return error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: an answer of a proxy, or none at all. The status says the rest.
    return undefined;
  }
}

function pathOf(intentId: string): string {
  return `/v1/payment_intents/${encodeURIComponent(intentId)}`;
}

function withDefaults(options: ClientOptions): TransportOptions {
  return {
    baseUrl: new URL(options.baseUrl).href.replace(/\/+$/, ''),
    keyId: present('keyId', options.keyId),
    signingSecret: present('signingSecret', options.signingSecret),
    timeoutMs: options.timeoutMs ?? 15_000,
    maxAttempts: wholeFromOne('maxAttempts', options.maxAttempts ?? 3),
    fetch: options.fetch ?? globalThis.fetch,
    clock: createServiceClock(options.now ?? systemNow),
    wait: options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
  };
}

/** Without it, such as where a variable of the environment is not set, every call would be refused and none would say why. */
function present(name: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${name} is empty`);
}

function wholeFromOne(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new RangeError(`${name} is not a whole number from 1 on`);
}
