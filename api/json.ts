// Parses a body or a token part as strict JSON (decision 24).
import { DomainError } from '../src/domain/errors';
import { parseStrictJson, UnclearJson } from '../src/strict-json';

/** @throws DomainError `validation_failed` whose detail reveals only what the sender has sent */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof UnclearJson)) throw error;
    throw new DomainError('validation_failed', { detail: error.message, cause: error.cause });
  }
}
