// The error classes of the SDK, with closed sets of codes (protocol 8.2).
import { ERROR_CODES, type ErrorCode } from '../domain/errors';

/**
 * The codes of protocol 8.2, and `unexpected_answer` for a response that does not look like one of
 * the service, such as that of a proxy.
 */
export type ApiErrorCode = Exclude<ErrorCode, 'unavailable'> | 'unexpected_answer';

/** Facts about a response that its body does not contain. */
export interface AnswerFacts {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly isRepeat: boolean;
  readonly idempotencyKey: string | undefined;
}

interface ApiErrorDetails extends AnswerFacts {
  readonly code: ApiErrorCode;
  readonly message: string;
}

/**
 * The base of the three errors below. The ES modules and the CommonJS files of this package are two
 * copies of these classes; `instanceof` compares their kinds, so an error of either copy fits both.
 */
export abstract class PaymentIntentsError extends Error {
  static readonly kind: string = '@payment-intents/sdk PaymentIntentsError';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return classesOf(value).some((one) => one === this || kindOf(one) === kindOf(this));
  }
}

/** The class of a value and those that it extends. */
function classesOf(value: unknown): readonly object[] {
  const classes: object[] = [];
  let next: unknown = isObject(value) ? value.constructor : undefined;
  while (typeof next === 'function') {
    classes.push(next);
    next = Object.getPrototypeOf(next);
  }
  return classes;
}

/** Its own kind: a class of a partner that extends one of ours is equal only to itself. */
function kindOf(one: object): unknown {
  return Object.hasOwn(one, 'kind') ? Reflect.get(one, 'kind') : one;
}

/**
 * The service rejected the request (protocol 8). Decide by `code`: the text of `message` may
 * change. Quote `requestId` when you ask the operator about the request.
 *
 * A call that ends in a 4xx has changed nothing, unless {@link ApiError.isRepeat} is true: then an
 * earlier attempt may have succeeded and its answer was lost. After any other status the outcome is
 * unknown: it is safe to create again with {@link ApiError.idempotencyKey}, or to fetch the intent.
 * The client has already retried a 503.
 *
 * @example
 * ```ts
 * try {
 *   await client.cancelIntent(intentId);
 * } catch (error) {
 *   if (error instanceof ApiError && error.code === 'conflict') return 'too late to cancel';
 *   throw error;
 * }
 * ```
 */
export class ApiError extends PaymentIntentsError {
  static override readonly kind = '@payment-intents/sdk ApiError';
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  readonly code: ApiErrorCode;
  /** The value of `X-Request-Id`; undefined when the response had none. */
  readonly requestId: string | undefined;
  /**
   * True when an earlier attempt of this call got no response, or a 502, 503 or 504. That attempt
   * may have succeeded, whatever `code` says: call create again with the same idempotency key, or
   * fetch the intent.
   */
  readonly isRepeat: boolean;
  /** Of a create, also if the client made it: give it to the next call. Else undefined. */
  readonly idempotencyKey: string | undefined;

  constructor(details: ApiErrorDetails) {
    const { status, code, message, requestId, isRepeat, idempotencyKey } = details;
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.isRepeat = isRepeat;
    this.idempotencyKey = idempotencyKey;
  }
}

/** Why a call has no answer: `aborted` by your signal, else by its last attempt. */
export type ConnectionFailure = 'timed_out' | 'aborted' | 'no_answer';

interface ConnectionErrorDetails {
  readonly reason: ConnectionFailure;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;
  /** Of each attempt. */
  readonly timeoutMs?: number;
  readonly cause: unknown;
}

/**
 * The call got no answer: the connection was refused or reset, the last attempt timed out, or your
 * signal aborted the call. **The outcome is unknown**, because the service may have received the
 * request: create again with the same {@link ConnectionError.idempotencyKey}, or fetch the intent.
 * `cause` is the last failure, or the reason of your signal.
 */
export class ConnectionError extends PaymentIntentsError {
  static override readonly kind = '@payment-intents/sdk ConnectionError';
  override readonly name = 'ConnectionError';
  readonly reason: ConnectionFailure;
  /** The number of attempts that were made. */
  readonly attempts: number;
  /** Of a create, also if the client made it: give it to the next call. Else undefined. */
  readonly idempotencyKey: string | undefined;

  constructor(details: ConnectionErrorDetails) {
    super(`${failureOf(details)} ${adviceAfter(details)}`, { cause: details.cause });
    this.reason = details.reason;
    this.attempts = details.attempts;
    this.idempotencyKey = details.idempotencyKey;
  }
}

function failureOf({ reason, attempts, timeoutMs }: ConnectionErrorDetails): string {
  const made = attempts === 1 ? '1 attempt' : `${String(attempts)} attempts`;
  switch (reason) {
    case 'timed_out':
      return `The service did not answer within ${String(timeoutMs)} ms, after ${made}.`;
    case 'aborted':
      return `Your signal aborted the call after ${made}.`;
    case 'no_answer':
      return `No answer from the service after ${made}.`;
  }
}

/** Also after no attempt: the read that follows a repeated cancel may be what was aborted. */
function adviceAfter({ idempotencyKey }: ConnectionErrorDetails): string {
  return idempotencyKey === undefined
    ? 'The outcome is unknown: get the intent to learn it.'
    : `The outcome is unknown: create again with the same Idempotency-Key, ${idempotencyKey}.`;
}

/** Why a webhook was not accepted. */
export type WebhookRefusal =
  | 'missing_header'
  | 'repeated_header'
  | 'malformed_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'unreadable_body';

/** The request is not a recent webhook of the service: answer 400 and do nothing else. */
export class WebhookVerificationError extends PaymentIntentsError {
  static override readonly kind = '@payment-intents/sdk WebhookVerificationError';
  override readonly name = 'WebhookVerificationError';
  /** The reason, for your log. Do not return it to the sender. */
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, options?: ErrorOptions) {
    super(`Webhook rejected: ${reason.replaceAll('_', ' ')}.`, options);
    this.reason = reason;
  }
}

/**
 * Reads an error from either envelope of decision 2: `{ error, message }` or
 * `{ error: { code, message, request_id } }`.
 */
export function parseApiError(body: unknown, about: AnswerFacts): ApiError {
  const { error, message } = isObject(body) ? body : {};
  const envelope = isObject(error) ? error : { code: error, message };
  return new ApiError({
    ...about,
    code: parseCode(envelope['code']),
    message: parseText(envelope['message']) ?? `The service answered ${String(about.status)}.`,
    requestId: about.requestId ?? parseText(envelope['request_id']),
  });
}

function parseCode(value: unknown): ApiErrorCode {
  const code = ERROR_CODES.find((known) => known === value);
  return code === undefined || code === 'unavailable' ? 'unexpected_answer' : code;
}

function parseText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
