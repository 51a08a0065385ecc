// Sends one signed call with retries (protocol 3). Every attempt has its own timestamp, nonce and
// signature, because a nonce is "rejected if seen within the last 10 minutes". The idempotency key
// stays the same (decision 14). A 401 is retried at most once, if the service's `Date` shows a
// wrong clock.
import { makeNonce, type Now } from '../clock';
import { ConnectionError } from '../errors';
import { canonicalRequest, signCanonicalRequest } from '../web-crypto';
import { attemptSignal } from './attempt-signal';
import type { ServiceClock } from './service-clock';

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 5_000;

/** Over a hundred times an intent. A longer response is not from the service and is not read. */
const ANSWER_MAX_BYTES = 65_536;

/** Temporary failures: the service's own 503, and the codes of a proxy in front of it. */
const TEMPORARY_STATUSES: readonly number[] = [502, 503, 504];

export interface TransportOptions {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly signingSecret: string;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly fetch: typeof fetch;
  readonly clock: ServiceClock;
  readonly wait: Wait;
  /** The caller's, for one call. */
  readonly signal: AbortSignal | undefined;
}

/** Pauses for a time, or until the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface ApiCall {
  readonly method: 'GET' | 'POST';
  /** The path from `/v1` on, already encoded. */
  readonly path: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface ApiAnswer extends Answer {
  /** Whether an earlier attempt, without a response or with 502, 503 or 504, may have succeeded. */
  readonly isRepeat: boolean;
  readonly idempotencyKey: string | undefined;
}

/** @throws ConnectionError when the last attempt got no response, or the caller's signal aborts */
export async function sendSigned(call: ApiCall, options: TransportOptions): Promise<ApiAnswer> {
  const { clock, maxAttempts } = options;
  const sending = { call, options, now: clock.now, attempts: 0, isRepeat: false };
  const first = await sendUntilAnswered(sending);
  const isRejected = first.answer.status === 401 && first.attempts < maxAttempts;
  const correction = isRejected ? clock.correctedBy(first.answer.headers) : undefined;
  if (correction === undefined) return asApiAnswer(first);
  const second = await sendUntilAnswered({ ...first, now: correction.now });
  if (provesTime(second.answer)) correction.apply();
  return asApiAnswer(second);
}

interface Sending {
  readonly call: ApiCall;
  readonly options: TransportOptions;
  readonly now: Now;
  /** The number of attempts so far. */
  readonly attempts: number;
  readonly isRepeat: boolean;
}

interface Answered extends Sending {
  readonly answer: Answer;
}

async function sendUntilAnswered(sending: Sending): Promise<Answered> {
  const { maxAttempts, wait, signal } = sending.options;
  let { isRepeat } = sending;
  for (let attempts = sending.attempts + 1; ; attempts += 1) {
    throwIfAborted(sending, attempts - 1);
    const { answer, ...failed } = await attempt(sending);
    const isLast = attempts >= maxAttempts;
    if (answer !== undefined && (isLast || !TEMPORARY_STATUSES.includes(answer.status))) {
      return { ...sending, attempts, isRepeat, answer };
    }
    if (answer === undefined) throwIfAborted(sending, attempts);
    if (isLast) throw unanswered(sending, attempts, failed);
    isRepeat = true;
    await wait(pauseMs(attempts, answer?.headers), signal);
  }
}

function throwIfAborted({ call, options }: Sending, attempts: number): void {
  if (options.signal?.aborted !== true) return;
  const { idempotencyKey } = call;
  const cause: unknown = options.signal.reason;
  throw new ConnectionError({ reason: 'aborted', attempts, idempotencyKey, cause });
}

function unanswered({ call, options }: Sending, attempts: number, failed: Attempt) {
  const { idempotencyKey } = call;
  const { timeoutMs } = options;
  const reason = failed.hasTimedOut === true ? 'timed_out' : 'no_answer';
  const cause = failed.failure;
  return new ConnectionError({ reason, attempts, idempotencyKey, timeoutMs, cause });
}

/** Whether the service accepted the timestamp. A proxy or a login page may answer 3xx and 4xx. */
function provesTime({ status }: Answer): boolean {
  return status === 200 || status === 201;
}

function asApiAnswer({ answer, isRepeat, call }: Answered): ApiAnswer {
  return { ...answer, isRepeat, idempotencyKey: call.idempotencyKey };
}

async function attempt({ call, options, now }: Sending): Promise<Attempt> {
  const url = new URL(options.baseUrl + call.path);
  const body = new TextEncoder().encode(call.body ?? '');
  const timestamp = now().toISOString();
  const headers = await signedHeaders(call, { path: url.pathname, body, timestamp }, options);
  const { signal, hasTimedOut, release } = attemptSignal(options.timeoutMs, options.signal);
  try {
    const response = await options.fetch(url, {
      method: call.method,
      headers,
      // The signed bytes: "the body must not be re-serialized between signing and sending".
      body: body.length === 0 ? null : body,
      // A redirect is returned, not followed: following it would send the signature elsewhere.
      redirect: 'manual',
      signal,
    });
    const { status, headers: received } = response;
    return { answer: { status, headers: received, text: await textOf(response) } };
  } catch (failure) {
    return { failure, hasTimedOut: hasTimedOut() };
  } finally {
    release();
  }
}

/** Exactly one of these: an answer, or the reason why there is none. */
interface Attempt {
  readonly answer?: Answer;
  readonly failure?: unknown;
  readonly hasTimedOut?: boolean;
}

/** The body as text; empty when it is too long, because it then holds no intent and no error. */
async function textOf(response: Response): Promise<string> {
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) return '';
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_MAX_BYTES) return '';
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

async function signedHeaders(
  call: ApiCall,
  sent: { readonly path: string; readonly body: Uint8Array; readonly timestamp: string },
  options: TransportOptions,
): Promise<Headers> {
  const nonce = makeNonce();
  const canonical = await canonicalRequest({ method: call.method, ...sent, nonce });
  const headers = new Headers({
    'X-Service-Key-Id': options.keyId,
    'X-Service-Timestamp': sent.timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': await signCanonicalRequest(canonical, options.signingSecret),
  });
  if (call.body !== undefined) headers.set('Content-Type', 'application/json');
  if (call.idempotencyKey !== undefined) headers.set('Idempotency-Key', call.idempotencyKey);
  return headers;
}

/**
 * The pause before the next attempt: `Retry-After`, or else 200 ms, doubled each time. Up to half
 * of it is added at random, so that callers do not return at the same time.
 */
function pauseMs(attempts: number, headers: Headers | undefined): number {
  const requestedSeconds = Number(headers?.get('Retry-After') ?? NaN);
  const pause =
    requestedSeconds >= 0 ? requestedSeconds * 1_000 : FIRST_PAUSE_MS * 2 ** (attempts - 1);
  return Math.min(pause * (1 + Math.random() / 2), PAUSE_MAX_MS);
}
