// Retries the statement that decides a confirm or a cancel. That statement records the request's id
// as the one that answers 200 (decision 6, decision 103). If Postgres commits it but the reply is
// lost, the same request id gets the same answer on a second try.
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../src/domain/errors';

const RETRY_AFTER_MS = 150;

/**
 * Calls `attempt` again once if it throws `unavailable`.
 * @throws what the second attempt throws; the caller then gets a 503. If the statement was
 *   committed after all, no later request is answered 200 for it.
 */
export async function retryOnce<Answer>(attempt: () => Promise<Answer>): Promise<Answer> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
    await pause(RETRY_AFTER_MS);
    return attempt();
  }
}
