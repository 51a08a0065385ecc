// The client of a partner backend for the signed endpoints create, get and cancel (protocol 5.1).
// Confirm is not included: it accepts only session tokens.
import type { Corridor } from '../domain/corridor';
import { makeUniqueText, systemNow, type Now } from './clock';
import { ApiError, parseApiError, type AnswerFacts } from './errors';
import { parseIntent, type Intent } from './intent';
import { createServiceClock } from './service-clock';
import { sendSigned, type ApiAnswer, type ApiCall, type TransportOptions } from './transport';

export interface ClientOptions {
  /** The base URL of the environment, without `/v1`. Sandbox keys work only in the sandbox. */
  readonly baseUrl: string;
  /** The id of your signing key: "Format `<partner>_<env>_<quarter>`." */
  readonly keyId: string;
  /** The signing secret as issued; its UTF-8 bytes are the HMAC key. Keep it out of logs. */
  readonly signingSecret: string;
  /** The longest time of one attempt, milliseconds. Default: 15 000. */
  readonly timeoutMs?: number;
  /** The largest number of attempts per call, including the first. Default: 3. */
  readonly maxAttempts?: number;
  /** Replaces the global `fetch`, for tests and for your own proxy. */
  readonly fetch?: typeof fetch;
  /**
   * The clock for request timestamps: "Rejected when more than 5 minutes off server time (either
   * direction)." The client corrects it, see {@link Client.now}. Default: the system clock.
   */
  readonly now?: Now;
  /** Replaces the pause between attempts, for tests. */
  readonly wait?: (ms: number) => Promise<void>;
}

export interface CreateIntentInput {
  /** Your opaque id of the user, 1 to 256 characters, without personal data. */
  readonly partnerUserId: string;
  /** Whole USD cents, "1 to 100000000 inclusive": `1250` is 12.50 dollars. */
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
  /**
   * "Replaying the exact same request with the same key returns the original response." 1 to 256
   * printable ASCII characters. Without one the client makes a random key, which protects only the
   * retries of this call. Set your own, such as the order number, to be safe after a crash of your
   * process too.
   */
  readonly idempotencyKey?: string;
}

/**
 * Every method signs its requests and stops each attempt after `timeoutMs`. It retries with a fresh
 * nonce after a network error or a 502, 503 or 504, and once after a 401 if the response's `Date`
 * shows that your clock is wrong, see {@link Client.now}. Every method throws {@link ApiError} when
 * the service rejects the request, and ConnectionError when the last attempt got no response.
 */
export interface Client {
  /**
   * Creates an intent. "`status` is always `created` on success." Safe to repeat with the same
   * idempotency key.
   * @throws ApiError with code `validation_failed` (400, also for a key that was used with another
   *   body), `authentication_failed` (401), `authorization_failed` (403), `amount_below_minimum`
   *   (422), `limit_exceeded` (429) or `internal_error` (500, 503)
   * @throws RangeError when the idempotency key is not 1 to 256 printable ASCII characters, or
   *   begins or ends with a space
   */
  createIntent(input: CreateIntentInput): Promise<Intent>;
  /**
   * Fetches one of your intents. It changes nothing.
   * @throws ApiError with code `authentication_failed` (401), `authorization_failed` (403),
   *   `not_found` (404) or `internal_error` (500, 503)
   */
  getIntent(intentId: string): Promise<Intent>;
  /**
   * Cancels an intent whose payout was not sent yet. A retry that finds the intent already
   * cancelled by the first attempt returns the cancelled intent.
   * @throws ApiError with the codes of `getIntent`, and `conflict` (409) when it is too late or the
   *   intent was cancelled before
   */
  cancelIntent(intentId: string): Promise<Intent>;
  /**
   * Your clock as corrected by this client. Pass it to `mintSessionToken` and `verifyWebhook` where
   * your clock may be wrong. When a request gets a 401 whose `Date` is between a minute and a day
   * away from your time, the client sends it once more with a corrected clock, and keeps the
   * correction only if the service accepts that request. A missing, garbled or forged `Date` costs
   * at most one request. Synchronize your clock anyway: before the first call there is no
   * correction.
   */
  readonly now: Now;
}

/**
 * Creates a client. It holds no connection; its only state is the correction of your clock. Create
 * one client and reuse it.
 *
 * @throws TypeError when `baseUrl` is not an absolute URL or ends in `/v1`, or `keyId` or
 *   `signingSecret` is empty
 * @throws RangeError when `maxAttempts` is not a whole number of at least 1
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

/** HTTP removes spaces around a header value, and a header cannot hold characters beyond ASCII. */
function checkedKey(key: string): string {
  if (/^[\x20-\x7e]{1,256}$/.test(key) && key.trim() === key) return key;
  throw new RangeError('idempotencyKey is not 1 to 256 printable ASCII characters');
}

/** A 409 to a retry means success if a first attempt, whose answer was lost, has cancelled it. */
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
    // Not JSON: a response of a proxy, or an empty one. The caller decides by the status.
    return undefined;
  }
}

function pathOf(intentId: string): string {
  return `/v1/payment_intents/${encodeURIComponent(intentId)}`;
}

function withDefaults(options: ClientOptions): TransportOptions {
  return {
    baseUrl: baseUrlOf(present('baseUrl', options.baseUrl)),
    keyId: present('keyId', options.keyId),
    signingSecret: present('signingSecret', options.signingSecret),
    timeoutMs: options.timeoutMs ?? 15_000,
    maxAttempts: wholeFromOne('maxAttempts', options.maxAttempts ?? 3),
    fetch: options.fetch ?? globalThis.fetch,
    clock: createServiceClock(options.now ?? systemNow),
    wait: options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
  };
}

function baseUrlOf(given: string): string {
  const url = new URL(given).href.replace(/\/+$/, '');
  if (!url.endsWith('/v1')) return url;
  throw new TypeError('baseUrl ends in /v1, which the client adds itself: leave it out');
}

/** Fails early: with an empty value, as from an unset variable, every call would just get a 401. */
function present(name: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${name} is empty: is its variable set?`);
}

function wholeFromOne(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new RangeError(`${name} is not a whole number of at least 1`);
}
