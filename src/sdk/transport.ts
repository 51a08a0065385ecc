// One signed call with its repeats (spec, "Request signing"). Every attempt has its own timestamp, nonce and signature, since
// a nonce is "rejected if seen within the last 10 minutes"; the idempotency key stays the same (decision 14).
import { canonicalRequest } from '../signing/canonical-request';
import { signCanonicalRequest } from '../signing/hmac';
import { makeNonce, type Now } from './clock';
import { ConnectionError } from './errors';

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 5_000;

/** Answers that say "not now": the service's own 503, and the two with which a proxy in front of it says the same. */
const NOT_NOW: readonly number[] = [502, 503, 504];

export interface TransportOptions {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly signingSecret: string;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly fetch: typeof fetch;
  readonly now: Now;
  readonly wait: (ms: number) => Promise<void>;
}

export interface ApiCall {
  readonly method: 'GET' | 'POST';
  /** From `/v1` on, already encoded. */
  readonly path: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** How often the request was sent until this answer came. */
  readonly attempts: number;
}

/** @throws ConnectionError when no attempt was answered */
export async function sendSigned(call: ApiCall, options: TransportOptions): Promise<ApiAnswer> {
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt(call, options);
    const isLast = attempts >= options.maxAttempts;
    if ('failure' in result && isLast) throw new ConnectionError(attempts, result.failure);
    if ('status' in result && (isLast || !NOT_NOW.includes(result.status))) {
      return { ...result, attempts };
    }
    await options.wait(pauseMs(attempts, 'headers' in result ? result.headers : undefined));
  }
}

type Attempt = Omit<ApiAnswer, 'attempts'> | { readonly failure: unknown };

async function attempt(call: ApiCall, options: TransportOptions): Promise<Attempt> {
  const url = new URL(options.baseUrl + call.path);
  const body = new TextEncoder().encode(call.body ?? '');
  const headers = signedHeaders(call, { path: url.pathname, body }, options);
  try {
    const response = await options.fetch(url, {
      method: call.method,
      headers,
      // The bytes that were signed: "the body must not be re-serialized between signing and sending".
      body: body.length === 0 ? null : body,
      // A redirect would carry the signature elsewhere; it is returned as the odd answer that it is.
      redirect: 'manual',
      signal: AbortSignal.timeout(options.timeoutMs),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (failure) {
    return { failure };
  }
}

function signedHeaders(
  call: ApiCall,
  sent: { readonly path: string; readonly body: Uint8Array },
  options: TransportOptions,
): Headers {
  const timestamp = options.now().toISOString();
  const nonce = makeNonce();
  const canonical = canonicalRequest({ method: call.method, ...sent, timestamp, nonce });
  const headers = new Headers({
    'X-Service-Key-Id': options.keyId,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': signCanonicalRequest(canonical, options.signingSecret),
  });
  if (call.body !== undefined) headers.set('Content-Type', 'application/json');
  if (call.idempotencyKey !== undefined) headers.set('Idempotency-Key', call.idempotencyKey);
  return headers;
}

/** What the service asks for by `Retry-After`, else 200 ms and twice as long each time; spread over half of it, so that callers do not return together. */
function pauseMs(attempts: number, headers: Headers | undefined): number {
  const askedSeconds = Number(headers?.get('Retry-After') ?? NaN);
  const pause = askedSeconds >= 0 ? askedSeconds * 1_000 : FIRST_PAUSE_MS * 2 ** (attempts - 1);
  return Math.min(pause * (1 + Math.random() / 2), PAUSE_MAX_MS);
}
