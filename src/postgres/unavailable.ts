// Which failures mean that Postgres is unavailable.
import { DomainError, systemCodeOf } from '../domain/errors';

/** @throws DomainError `unavailable` instead of such a failure */
export async function asUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new DomainError('unavailable', { reason: 'postgres_unavailable', cause: error });
  }
}

/**
 * SQLSTATEs: 08 connection, 53 resources, 57P shutdown, 57014 timeout, 55P03 lock timeout, 25006 a
 * standby, 25P03 a transaction that was idle for too long, 40 a transaction that was rolled back
 * and may be repeated.
 */
const UNAVAILABLE_STATES = /^(08|53|57P|57014|55P03|25006|25P03|40)/;
const UNAVAILABLE_ERRNOS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** The connection is not trusted, such as an expired certificate of the server: codes of Node. */
const UNTRUSTED = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO)/;
/** pg gives these failures no code. The texts are those of pg 8.23; a test checks them. */
const UNAVAILABLE_TEXTS =
  /^(Connection terminated|timeout exceeded|Query read timeout|Client has encountered)/;

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const code = systemCodeOf(error);
  const isKnownCode =
    UNAVAILABLE_STATES.test(code) || UNAVAILABLE_ERRNOS.has(code) || UNTRUSTED.test(code);
  return isKnownCode || UNAVAILABLE_TEXTS.test(error.message);
}
