// The bytes of a body or a token as JSON, read strictly (decision 24).
import { DomainError } from '../src/domain/errors';
import { parseStrictJson, UnclearJson } from '../src/strict-json';

/** @throws DomainError `validation_failed`, which says no more than the sender of the bytes knows. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof UnclearJson)) throw error;
    throw new DomainError('validation_failed', { detail: error.message, cause: error.cause });
  }
}
