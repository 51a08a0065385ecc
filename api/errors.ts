// Maps every rejection code to its HTTP status and body (protocol 8; decisions 2 to 4).
import type { DomainError, ErrorCode } from '../src/domain/errors';

export type ErrorEnvelope = 'flat' | 'nested';

interface Rejection {
  readonly status: number;
  readonly message: string;
  /** Set where the caller sees the detail, because it reveals only what the caller sent. */
  readonly showsDetail?: true;
}

const REJECTIONS: Readonly<Record<ErrorCode, Rejection>> = {
  validation_failed: { status: 400, message: 'The request is not valid.', showsDetail: true },
  authentication_failed: { status: 401, message: 'Authentication failed.' },
  authorization_failed: {
    ...{ status: 403, message: 'The credentials do not allow this.', showsDetail: true },
  },
  not_found: { status: 404, message: 'There is no such resource.' },
  conflict: { status: 409, message: "The intent's state does not allow this.", showsDetail: true },
  amount_below_minimum: {
    status: 422,
    message: 'The amount is below the minimum of the corridor.',
  },
  limit_exceeded: { status: 429, message: 'A limit is reached.', showsDetail: true },
  unavailable: {
    status: 503,
    message: 'The outcome is not known yet. Retry after the number of seconds in Retry-After.',
    showsDetail: true,
  },
  internal_error: { status: 500, message: 'The service failed.' },
};

const RETRY_AFTER_SECONDS = 1;

interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function toErrorReply(
  error: DomainError,
  envelope: ErrorEnvelope,
  requestId: string,
): ErrorReply {
  const rejection = REJECTIONS[error.code];
  // The protocol has no code `unavailable`: callers get `internal_error`.
  const code = error.code === 'unavailable' ? 'internal_error' : error.code;
  const message = (rejection.showsDetail && error.detail) ?? rejection.message;
  const flat = { error: code, message };
  const nested = { error: { code, message, request_id: requestId } };
  return {
    status: rejection.status,
    headers: retryAfter(rejection.status, error),
    body: JSON.stringify(envelope === 'flat' ? flat : nested),
  };
}

function retryAfter(status: number, { retryAfterSeconds }: DomainError): Record<string, string> {
  if (status !== 503 && status !== 429) return {};
  return { 'Retry-After': String(retryAfterSeconds ?? RETRY_AFTER_SECONDS) };
}
