// The client of a partner backend for the signed endpoints create, get and cancel (protocol 5.1).
// Confirm is not included: it accepts only session tokens.
import type { Corridor } from '../../corridors/names';
import type { Now } from '../clock';
import { ApiError, parseApiError } from '../errors';
import { parseIntent, type Intent } from '../intent';
import {
  forCall,
  keyFor,
  withDefaults,
  type CallOptions,
  type ClientOptions,
  type CreateIntentOptions,
} from './client-options';
import { sendSigned, type ApiAnswer, type ApiCall, type TransportOptions } from './transport';

export interface CreateIntentInput {
  /** Your opaque id of the user, 1 to 256 characters, without personal data. */
  readonly partnerUserId: string;
  /** Whole USD cents, "1 to 100000000 inclusive": `1250` is 12.50 dollars. */
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
}

/**
 * Every method signs its requests and stops each attempt after `timeoutMs`. It retries with a fresh
 * nonce after a network error or a 502, 503 or 504, and once after a 401 if the response's `Date`
 * shows that your clock is wrong, see {@link Client.now}. Every method throws {@link ApiError} when
 * the service rejects the request, ConnectionError when the last attempt got no response or your
 * signal aborted the call, and TypeError or RangeError for an option that is unknown or invalid.
 */
export interface Client {
  /**
   * Creates an intent. "`status` is always `created` on success." Safe to repeat with the same
   * idempotency key.
   * @throws ApiError with code `validation_failed` (400, also for a key that was used with another
   *   body), `authentication_failed` (401), `authorization_failed` (403), `amount_below_minimum`
   *   (422), `limit_exceeded` (429) or `internal_error` (500, 503)
   */
  createIntent(input: CreateIntentInput, options?: CreateIntentOptions): Promise<Intent>;
  /**
   * Fetches one of your intents. It changes nothing.
   * @throws ApiError with code `authentication_failed` (401), `authorization_failed` (403),
   *   `not_found` (404) or `internal_error` (500, 503)
   */
  getIntent(intentId: string, options?: CallOptions): Promise<Intent>;
  /**
   * Cancels an intent whose payout was not sent yet. A retry that finds the intent already
   * cancelled by the first attempt returns the cancelled intent.
   * @throws ApiError with the codes of `getIntent`, and `conflict` (409) when it is too late or the
   *   intent was cancelled before
   */
  cancelIntent(intentId: string, options?: CallOptions): Promise<Intent>;
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
 * @throws TypeError when `baseUrl` is not an absolute URL, has `/v1`, credentials, a query or a
 *   fragment, or when `keyId` is no text of ASCII without spaces, or `signingSecret` is empty
 * @throws RangeError when `timeoutMs` or `maxAttempts` is out of range
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'http://127.0.0.1:8080', keyId, signingSecret });
 * const intent = await client.createIntent(
 *   { partnerUserId: 'user-4711', amountUsdCents: 1250, corridor: 'th_qrpay' },
 *   { idempotencyKey: 'order-2024-000815' },
 * );
 * console.log(intent.intentId, intent.status); // pi_… created
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const transport = withDefaults(options);
  return {
    createIntent: async (input, given = {}) => createIntent(input, given, transport),
    getIntent: async (intentId, given = {}) =>
      readIntent({ method: 'GET', path: pathOf(intentId) }, forCall(given, transport)),
    cancelIntent: async (intentId, given = {}) => cancelIntent(intentId, forCall(given, transport)),
    now: transport.clock.now,
  };
}

async function createIntent(
  input: CreateIntentInput,
  options: CreateIntentOptions,
  transport: TransportOptions,
): Promise<Intent> {
  const body = JSON.stringify({
    partner_user_id: input.partnerUserId,
    amount_usd_cents: input.amountUsdCents,
    corridor: input.corridor,
  });
  const idempotencyKey = keyFor(input, options);
  const call = { method: 'POST', path: '/v1/payment_intents', body, idempotencyKey } as const;
  return readIntent(call, forCall(options, transport));
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

function intentIn({ headers, text, ...answer }: ApiAnswer): Intent {
  const { status } = answer;
  const about = { ...answer, requestId: headers.get('X-Request-Id') ?? undefined };
  const body = parseJson(text);
  if (status !== 200 && status !== 201) throw parseApiError(body, about);
  try {
    return parseIntent(body);
  } catch (cause) {
    const message = 'The answer does not hold a payment intent.';
    throw Object.assign(new ApiError({ ...about, code: 'unexpected_answer', message }), { cause });
  }
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
