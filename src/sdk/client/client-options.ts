// The options of a client and of one call, checked early, where a message can name the mistake.
import { makeUniqueText, systemNow, type Now } from '../clock';
import { present } from '../present';
import { createServiceClock } from './service-clock';
import type { TransportOptions, Wait } from './transport';

/** The longest delay of a timer; a longer one would end at once. */
const TIMEOUT_MAX_MS = 2_147_483_647;

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
  readonly wait?: Wait;
}

/** Options of one call. */
export interface CallOptions {
  /** The longest time of one attempt, milliseconds. Default: that of the client. */
  readonly timeoutMs?: number;
  /**
   * Ends the call early, also between two attempts, by a ConnectionError. The outcome is then
   * unknown. `AbortSignal.timeout(ms)` bounds all attempts together.
   */
  readonly signal?: AbortSignal;
}

export interface CreateIntentOptions extends CallOptions {
  /**
   * "Replaying the exact same request with the same key returns the original response." 1 to 256
   * printable ASCII characters, without a space at either end. Without one the client makes a
   * random key, which protects only the retries of this call. Set your own, such as the order
   * number, to be safe after a crash of your process too.
   */
  readonly idempotencyKey?: string;
}

export function withDefaults(options: ClientOptions): TransportOptions {
  return {
    baseUrl: baseUrlOf(present('baseUrl', options.baseUrl)),
    keyId: checkedKeyId(present('keyId', options.keyId)),
    signingSecret: present('signingSecret', options.signingSecret),
    timeoutMs: checkedTimeout(options.timeoutMs ?? 15_000),
    maxAttempts: wholeFromOne('maxAttempts', options.maxAttempts ?? 3),
    fetch: options.fetch ?? globalThis.fetch,
    clock: createServiceClock(options.now ?? systemNow),
    wait: options.wait ?? pause,
    signal: undefined,
  };
}

function baseUrlOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given).href.replace(/\/+$/, '') : '';
  // The message does not repeat it, because it may hold credentials.
  if (!/^https?:\/\/[^?#@]+$/.test(url)) {
    throw new TypeError(
      'baseUrl is not an absolute URL such as https://pay.example, without credentials, query or fragment',
    );
  }
  if (!/\/v1(\/|$)/.test(url)) return url;
  throw new TypeError('baseUrl has /v1 in it, which the client adds itself: leave it out');
}

/** A header cannot carry it otherwise. A file or echo adds a line end. */
function checkedKeyId(keyId: string): string {
  if (/^[!-~]+$/.test(keyId)) return keyId;
  throw new TypeError(
    'keyId has a space or a line end, or a character beyond ASCII: take them off',
  );
}

function wholeFromOne(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new RangeError(`${name} is not a whole number of at least 1`);
}

/** How one call is sent. */
export function forCall(options: CreateIntentOptions, client: TransportOptions): TransportOptions {
  rejectUnknown(options);
  const { timeoutMs = client.timeoutMs, signal } = options;
  return { ...client, timeoutMs: checkedTimeout(timeoutMs), signal };
}

const CALL_OPTIONS = ['timeoutMs', 'signal', 'idempotencyKey'];

/** In a program without types a mistyped option would be ignored, and with it the order's key. */
function rejectUnknown(options: object): void {
  const unknown = Object.keys(options).find((name) => !CALL_OPTIONS.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${unknown} is no option of a call: give ${CALL_OPTIONS.join(', ')}`);
}

export function keyFor(input: object, { idempotencyKey }: CreateIntentOptions): string {
  if (!('idempotencyKey' in input)) return checkedKey(idempotencyKey ?? makeUniqueText());
  throw new TypeError('idempotencyKey is an option: give it in the second argument');
}

/** HTTP removes spaces around a header value, and a header cannot hold characters beyond ASCII. */
function checkedKey(key: string): string {
  if (/^[\x20-\x7e]{1,256}$/.test(key) && key.trim() === key) return key;
  throw new RangeError(
    'idempotencyKey is not 1 to 256 printable ASCII characters, without a space at either end',
  );
}

function checkedTimeout(ms: number): number {
  if (ms > 0 && ms <= TIMEOUT_MAX_MS) return ms;
  throw new RangeError('timeoutMs is not more than 0, and at most 2147483647, milliseconds');
}

/** Ends at once when the signal aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted === true) done();
  });
}
