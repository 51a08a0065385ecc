// Code to status and body, for every refusal there is (spec, "Errors"; decisions 2 to 4).
import type { DomainError, ErrorCode } from '../src/domain/errors';

export type ErrorEnvelope = 'flat' | 'nested';

interface Refusal {
  readonly status: number;
  /** The `error` member; codes of ours that the specification does not have are shown as one that it has. */
  readonly shownCode: string;
  readonly message: string;
  /** Whether the caller is told the detail: only where it says no more than the caller sent. */
  readonly showsDetail: boolean;
}

const REFUSALS: Readonly<Record<ErrorCode, Refusal>> = {
  validation_failed: {
    status: 400,
    shownCode: 'validation_failed',
    message: 'The request is not valid.',
    showsDetail: true,
  },
  authentication_failed: {
    status: 401,
    shownCode: 'authentication_failed',
    message: 'Authentication failed.',
    showsDetail: false,
  },
  authorization_failed: {
    status: 403,
    shownCode: 'authorization_failed',
    message: 'The credentials do not allow this.',
    showsDetail: false,
  },
  not_found: {
    status: 404,
    shownCode: 'not_found',
    message: 'There is no such resource.',
    showsDetail: false,
  },
  conflict: {
    status: 409,
    shownCode: 'conflict',
    message: "The intent's state does not allow this.",
    showsDetail: true,
  },
  amount_below_minimum: {
    status: 422,
    shownCode: 'amount_below_minimum',
    message: 'The amount is below the minimum of the corridor.',
    showsDetail: false,
  },
  unavailable: {
    status: 503,
    shownCode: 'internal_error',
    message: 'The service cannot tell at the moment. Repeat the request shortly.',
    showsDetail: false,
  },
  internal_error: {
    status: 500,
    shownCode: 'internal_error',
    message: 'The service failed.',
    showsDetail: false,
  },
};

const RETRY_AFTER_SECONDS = 1;

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function toErrorReply(
  error: DomainError,
  envelope: ErrorEnvelope,
  requestId: string,
): ErrorReply {
  const refusal = REFUSALS[error.code];
  const message = refusal.showsDetail ? (error.detail ?? refusal.message) : refusal.message;
  const flat = { error: refusal.shownCode, message };
  const nested = { error: { code: refusal.shownCode, message, request_id: requestId } };
  return {
    status: refusal.status,
    headers: refusal.status === 503 ? { 'Retry-After': String(RETRY_AFTER_SECONDS) } : {},
    body: JSON.stringify(envelope === 'flat' ? flat : nested),
  };
}
