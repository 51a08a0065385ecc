// Expected rejections, as a closed set of codes (protocol 8.2). What is not one of these is a bug and becomes a 500.

export const ERROR_CODES = [
  'validation_failed',
  'authentication_failed',
  'authorization_failed',
  'not_found',
  'conflict',
  'amount_below_minimum',
  'unavailable',
  'internal_error',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Whom a request is from and what it concerns, as ids for the log; never a secret, token or signature. */
export interface About {
  readonly credentials?: 'signed_request' | 'session_token' | undefined;
  readonly key_id?: string | undefined;
  readonly partner_id?: string | undefined;
  readonly intent_id?: string | undefined;
}

interface DomainErrorOptions {
  /** Shown to the caller where the code allows one; never holds a secret, token or signature. */
  readonly detail?: string;
  /** The true cause, a short name for the log and the metric; the caller never sees it. */
  readonly reason?: string;
  readonly about?: About;
  readonly cause?: unknown;
}

/** A row that was committed is not there: Postgres lost commits, or the id is nobody's. A repeat finds nothing either. */
export class RowMissing extends Error {
  override name = 'RowMissing';

  constructor(intentId: string) {
    super(`there is no row of ${intentId}`);
  }
}

/** For errors that are answers: walking the stack costs more than most rejections do, and shows in their time. */
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
 * A rejection. api/errors.ts maps its code to a status and a body. It carries no stack: it is an answer and not a mistake, its
 * reason says where it comes from, and walking the stack costs more than most rejections do. The cause, if there is one, has its own.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly reason: string;
  readonly about: About | undefined;

  constructor(code: ErrorCode, { detail, reason, about, cause }: DomainErrorOptions = {}) {
    const frames = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(detail ?? reason ?? code, { cause });
    Error.stackTraceLimit = frames;
    this.name = 'DomainError';
    this.code = code;
    this.detail = detail;
    this.reason = reason ?? code;
    this.about = about;
  }
}
