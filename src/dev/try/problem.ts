// What goes wrong on the way to a page, as sentences for the person who sees it: what happened, why, what to do.
import { HttpRefusal } from '../../sandbox/http-server';
import { ApiError, ConnectionError } from '../../sdk';

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** The first is the title. */
  readonly sentences: readonly string[];

  constructor(status: number, sentences: readonly string[]) {
    super(sentences[0]);
    this.status = status;
    this.sentences = sentences;
  }
}

const START_IT = 'Run npm start in another terminal, wait until it is ready, and reload this page.';

export function noSandbox(): Problem {
  return new Problem(503, ['No sandbox is running.', START_IT]);
}

export function nothingHere(): Problem {
  return new Problem(404, [
    'There is nothing here.',
    'The address names no page of this server, or no payment of a sandbox partner.',
  ]);
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ApiError) return refusal(error);
  if (error instanceof HttpRefusal) return new Problem(error.status, [error.message]);
  if (error instanceof ConnectionError || isFetchFailure(error)) {
    return new Problem(503, ['The API does not answer.', START_IT]);
  }
  return new Problem(500, ['This page failed.', error instanceof Error ? error.message : '']);
}

function refusal({ status, code, message, requestId }: ApiError): Problem {
  if (status === 404 || status === 403) return nothingHere();
  return new Problem(502, [
    `The API refused with ${status}.`,
    `It said ${code}: ${message}`,
    `Its log has the reason under the request ${requestId ?? 'that had no id'}.`,
  ]);
}

/** As fetch throws them: no connection, or the time limit. */
function isFetchFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === 'fetch failed' || error.name === 'TimeoutError';
}
