// The right to answer a confirm or a cancel is recorded under the request's id (decision 6, record 103). Postgres may have
// recorded it and been away before it said so: then the same request asks once more, and what was recorded is its own.
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../src/domain/errors';

const RETRY_AFTER_MS = 150;

/** @throws what the second question throws; a caller is then told 503, and the right is lost if it was recorded */
export async function retryOnce<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
    await pause(RETRY_AFTER_MS);
    return ask();
  }
}
