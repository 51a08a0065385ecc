// What the SDK throws, as few classes with closed sets of codes (protocol 8.2).
import { ERROR_CODES, type ErrorCode } from '../domain/errors';

/** The codes of protocol 8.2, and `unexpected_answer` for an answer that is not one of the service's own. */
export type ApiErrorCode = Exclude<ErrorCode, 'unavailable'> | 'unexpected_answer';

/** What is known of an answer besides what its body says. */
export interface AnswerFacts {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly isRepeat: boolean;
}

interface ApiErrorDetails extends AnswerFacts {
  readonly code: ApiErrorCode;
  readonly message: string;
}

/**
 * The service answered, and rejected (protocol 8). `message` is a summary for people, without reasons.
 * Decide by `code`; quote `requestId` when you ask the operator about it.
 *
 * Nothing was done by a call that ended in a 4xx, unless {@link ApiError.isRepeat} is true: then an earlier attempt of the same call
 * may have done what was asked before its answer was lost. After `internal_error` (500 or 503) a repeat with the same
 * idempotency key is safe; a 503 has been repeated already when you see it.
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
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  readonly code: ApiErrorCode;
  /** The value of `X-Request-Id`, where there was one. */
  readonly requestId: string | undefined;
  /**
   * Whether the client had sent this call before and had no answer then, or a 502, 503 or 504. Whatever the code is now, that attempt
   * may have done what was asked: call create again with the same idempotency key, or fetch the intent.
   */
  readonly isRepeat: boolean;

  constructor({ status, code, message, requestId, isRepeat }: ApiErrorDetails) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.isRepeat = isRepeat;
  }
}

/**
 * The last attempt had no answer: refused, reset, or over the time limit. Whether the service did what was asked is not known:
 * repeat the call with the same idempotency key, or fetch the intent. The last failure is the `cause`.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** How often the request was sent. */
  readonly attempts: number;

  constructor(attempts: number, cause: unknown) {
    super(`No answer from the service after ${String(attempts)} attempts.`, { cause });
    this.attempts = attempts;
  }
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

/** The request is not a webhook of the service, or not a fresh one: answer it 400 and do nothing else with it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  /** For your log; tell the sender nothing. */
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, options?: ErrorOptions) {
    super(`Webhook refused: ${reason.replaceAll('_', ' ')}.`, options);
    this.reason = reason;
  }
}

/** Reads a rejection from either envelope of decision 2: `{ error, message }` or `{ error: { code, message, request_id } }`. */
export function parseApiError(body: unknown, about: AnswerFacts): ApiError {
  const envelope = nestedEnvelope(body) ?? flatEnvelope(body);
  return new ApiError({
    ...about,
    code: parseCode(envelope['code']),
    message: parseMessage(envelope['message'], about.status),
    requestId: about.requestId ?? parseText(envelope['request_id']),
  });
}

function nestedEnvelope(body: unknown): Record<string, unknown> | undefined {
  if (!isObject(body) || !isObject(body['error'])) return undefined;
  return body['error'];
}

function flatEnvelope(body: unknown): Record<string, unknown> {
  return isObject(body) ? { code: body['error'], message: body['message'] } : {};
}

function parseCode(value: unknown): ApiErrorCode {
  const code = ERROR_CODES.find((known) => known === value);
  return code === undefined || code === 'unavailable' ? 'unexpected_answer' : code;
}

function parseMessage(value: unknown, status: number): string {
  return parseText(value) ?? `The service answered ${String(status)}.`;
}

function parseText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
