// The answers while operators have closed a corridor or suspended a partner (decision 158).
import { DomainError } from '../../src/domain/errors';
import type { Closed } from '../../src/ports/partners';

const RETRY_AFTER_SECONDS = 60;

/** Nothing was created or authorized, and the token of a confirm stays unused. */
export function closedError(closed: Closed, rejected: 'create' | 'confirm'): DomainError {
  if (closed === 'corridor_closed') {
    const detail = 'The corridor is closed for now. Nothing was done.';
    return new DomainError('unavailable', {
      ...{ detail, reason: closed, retryAfterSeconds: RETRY_AFTER_SECONDS },
    });
  }
  const detail = 'The partner is suspended. Nothing was done.';
  const code = rejected === 'create' ? 'authorization_failed' : 'conflict';
  return new DomainError(code, { detail, reason: closed });
}
