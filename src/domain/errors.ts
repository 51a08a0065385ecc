// Expected rejections, as a closed set of codes (protocol 8.2). Any other error is a bug and
// becomes a 500. Beside them the few errors that several layers recognise.

export const ERROR_CODES = [
  'validation_failed',
  'authentication_failed',
  'authorization_failed',
  'not_found',
  'conflict',
  'amount_below_minimum',
  'limit_exceeded',
  'unavailable',
  'internal_error',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Caller and subject of a request, for the log. No secret, token or signature. */
export interface About {
  /**
   * Of a rejected signature: the source address and where it was found, such as
   * `socket: 203.0.113.7`, or `forwarded 2: none` if the second X-Forwarded-For from the right is
   * no address.
   */
  readonly seen_from?: string | undefined;
  /** Why the key set could not be fetched, as far as the token was rejected for it. */
  readonly key_set_failure?: string | undefined;
  readonly credentials?: 'signed_request' | 'session_token' | undefined;
  readonly key_id?: string | undefined;
  readonly partner_id?: string | undefined;
  readonly intent_id?: string | undefined;
}

interface DomainErrorOptions {
  /** Shown to the caller if the code allows it. Never holds a secret, token or signature. */
  readonly detail?: string;
  /** The internal cause: a short name for log and metric, which the caller never sees. */
  readonly reason?: string;
  /** The member of the body or token that is not valid, for the log. Never a value. */
  readonly member?: string | undefined;
  /** Of `limit_exceeded`: when a repeat may succeed. */
  readonly retryAfterSeconds?: number;
  readonly about?: About;
  readonly cause?: unknown;
}

/** A setting is missing or wrong. The message is shown to the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** There is no row: Postgres lost commits, or the id never existed. A repeat does not help. */
export class RowMissing extends Error {
  override name = 'RowMissing';

  constructor(intentId: string) {
    super(`there is no row of ${intentId}`);
  }
}

/** The code that Node or Postgres gave an error, such as `ENOENT` or `42P01`; empty without one. */
export function systemCodeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/**
 * For errors that become answers. A stack trace costs more than most rejections, and shows in their
 * time.
 */
export function withoutStack<Result>(work: () => Result): Result {
  const frames = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = frames;
  }
}

/**
 * A rejection. api/errors.ts maps its code to a status and a body. It has no stack trace, which
 * would cost more than most rejections; its reason names the place. An error in `cause` keeps its
 * own.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly reason: string;
  readonly member: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly about: About | undefined;

  constructor(code: ErrorCode, options: DomainErrorOptions = {}) {
    const { detail, reason, member, retryAfterSeconds, about, cause } = options;
    const frames = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(detail ?? reason ?? code, { cause });
    Error.stackTraceLimit = frames;
    this.name = 'DomainError';
    this.code = code;
    this.detail = detail;
    this.reason = reason ?? code;
    this.member = member;
    this.retryAfterSeconds = retryAfterSeconds;
    this.about = about;
  }
}
