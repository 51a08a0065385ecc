// `payctl requests why`: what a request was answered and why, from the log of the API. The response
// to rejected credentials says nothing but its X-Request-Id (protocol 8.3).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { processEnvironment, readLocalDir } from '../../config';
import { recordAndSentences } from '../layout';
import { collect } from '../option-values';
import { Rejection } from '../rejection';
import { option, verbAlone } from '../verb';
import { explanationOf } from './rejection-reasons';
import { findInLogs, type FoundLines, type LogEntry } from './request-log';

/** Members that are printed as sentences, so not in the list of members too. */
const PRINTED_BELOW = new Set(['means', 'advice']);

export const why = verbAlone('why <request_id>', {
  does: 'Explain why a request was rejected, from its X-Request-Id and the log of the API. The response itself does not say what is wrong with the credentials. Without --log it reads the log of the running sandbox.',
  options: [
    option('--log <file>', 'a log of the API; repeat for more, - for standard input').argParser(
      collect,
    ),
  ],
  work: (requestId: string, { log }: { readonly log?: readonly string[] }) =>
    findRequestStory(log ?? sandboxLogs(), requestId),
  lines(story) {
    const members = Object.entries(story).filter(([name]) => !PRINTED_BELOW.has(name));
    return recordAndSentences(Object.fromEntries(members), requestSentences(story));
  },
});

/** The logs of `npm start`: the rotated one, then the current one. */
function sandboxLogs(): readonly string[] {
  const environment = processEnvironment();
  const current = join(readLocalDir(environment), 'logs', 'api.log');
  const logs = environment['DATABASE_URL'] ? [] : [`${current}.1`, current].filter(existsSync);
  if (logs.length > 0) return logs;
  throw new Rejection(
    'There is no log of a sandbox here. Name the log of the API with --log, or pipe it in with --log -.',
  );
}

/** The JSON shape that programs rely on. A member is null if the log does not have it. */
export interface RequestStory {
  readonly request_id: string;
  readonly at: string | null;
  readonly method: string | null;
  /** The route's template, never the path as sent. */
  readonly route: string | null;
  readonly status: number | null;
  readonly duration_ms: number | null;
  readonly credentials: string | null;
  readonly key_id: string | null;
  readonly partner_id: string | null;
  readonly intent_id: string | null;
  /** The cause, by its short name in logs and metrics; null if the request was not rejected. */
  readonly rejection: string | null;
  /** The member of body or token that was not valid, if one is named. */
  readonly member: string | null;
  /** For rejected credentials: the cause in words, and what to do. */
  readonly means: string | null;
  readonly advice: string | null;
  /** Messages of the errors that were logged for the request. */
  readonly failures: readonly string[];
}

const REQUEST_ID = /^req_[0-9a-f]{24}$/;

/** @throws Rejection if the text is no request id, or no line belongs to the request */
export async function findRequestStory(
  files: readonly string[],
  requestId: string,
): Promise<RequestStory> {
  if (!REQUEST_ID.test(requestId)) {
    throw new Rejection(
      `"${requestId}" is not a request id. Expected req_ and 24 characters of 0-9 and a-f, as in the X-Request-Id of a response.`,
    );
  }
  const found = await findInLogs(files, requestId);
  if (found.entries.length === 0) throw notFound(requestId, found);
  return toStory(requestId, found.entries);
}

function toStory(requestId: string, entries: readonly LogEntry[]): RequestStory {
  const request = entries.find(isOfResponse) ?? {};
  const credentials = textIn(request, 'credentials');
  const rejection = textIn(request, 'rejection');
  return {
    request_id: requestId,
    at: textIn({ ...entries[0], ...request }, 'time'),
    method: textIn(request, 'method'),
    route: textIn(request, 'route'),
    status: numberIn(request, 'status'),
    duration_ms: numberIn(request, 'duration_ms'),
    credentials,
    key_id: textIn(request, 'key_id'),
    partner_id: textIn(request, 'partner_id'),
    intent_id: textIn(request, 'intent_id'),
    rejection,
    member: textIn(request, 'member'),
    ...explained(credentials, rejection),
    failures: entries.map(failureIn).filter((failure) => failure !== null),
  };
}

/** A failure is logged before the response, and without one if no response could be sent. */
function isOfResponse(entry: LogEntry): boolean {
  return numberIn(entry, 'status') !== null;
}

function explained(credentials: string | null, rejection: string | null) {
  const known = rejection === null ? undefined : explanationOf(credentials, rejection);
  return known ?? { means: null, advice: null };
}

function textIn(entry: LogEntry, name: string): string | null {
  const value = entry[name];
  return typeof value === 'string' ? value : null;
}

function numberIn(entry: LogEntry, name: string): number | null {
  const value = entry[name];
  return typeof value === 'number' ? value : null;
}

function failureIn({ err }: LogEntry): string | null {
  if (typeof err !== 'object' || err === null || !('message' in err)) return null;
  return typeof err.message === 'string' ? err.message : null;
}

function notFound(requestId: string, { linesRead, firstAt, lastAt }: FoundLines): Rejection {
  const span = firstAt === null ? '' : `, from ${firstAt} to ${lastAt ?? firstAt}`;
  return new Rejection(
    `None of ${linesRead} lines${span} is of ${requestId}. Search the logs of all API processes, and their older files. Requests are logged while LOG_LEVEL is info or debug.`,
  );
}

function requestSentences(story: RequestStory): readonly string[] {
  const { means, advice, rejection, status } = story;
  if (means !== null && advice !== null) return [means, advice];
  if (rejection === null) return status === null ? [] : ['The request was not rejected.'];
  return status !== null && status >= 500
    ? ['The API could not answer it. The caller may repeat it.']
    : ['The response says why.'];
}
