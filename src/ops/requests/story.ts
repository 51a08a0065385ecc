// `payctl requests why` (docs/operations.md): what a request was answered and why, by the log of the API. A partner whose
// credentials are refused learns nothing from the answer (protocol 8.3), but its X-Request-Id.
import { findInLogs, type FoundLines, type LogEntry } from './request-log';
import { explanationOf } from './rejection-reasons';
import { Rejection } from '../rejection';

/** What programs script against. A member is null where the log does not tell it. */
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
  /** The cause, by the short name that logs and metrics have; null when it was not refused. */
  readonly rejection: string | null;
  /** Of refused credentials: the cause in words, and what to do. */
  readonly means: string | null;
  readonly advice: string | null;
  /** What failed while it was answered, in the words of whatever failed. */
  readonly failures: readonly string[];
}

const REQUEST_ID = /^req_[0-9a-f]{24}$/;

/** @throws Rejection when the text is no request id, or no line is the request's */
export async function findRequestStory(
  files: readonly string[],
  requestId: string,
): Promise<RequestStory> {
  if (!REQUEST_ID.test(requestId)) {
    throw new Rejection(
      `"${requestId}" is not a request id: that is req_ and 24 characters of 0-9 and a-f, as the X-Request-Id of an answer has it.`,
    );
  }
  const found = await findInLogs(files, requestId);
  if (found.entries.length === 0) throw notFound(requestId, found);
  return toStory(requestId, found.entries);
}

function toStory(requestId: string, entries: readonly LogEntry[]): RequestStory {
  const request = entries.find(isOfAnswer) ?? {};
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
    ...explained(credentials, rejection),
    failures: entries.map(failureIn).filter((failure) => failure !== null),
  };
}

/** The line of a failure comes before that of the answer, and not at all where none could be given. */
function isOfAnswer(entry: LogEntry): boolean {
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

/** `err` of a line that an error was logged with. */
function failureIn({ err }: LogEntry): string | null {
  if (typeof err !== 'object' || err === null || !('message' in err)) return null;
  return typeof err.message === 'string' ? err.message : null;
}

function notFound(requestId: string, { looked, firstAt, lastAt }: FoundLines): Rejection {
  const span = firstAt === null ? '' : `, from ${firstAt} to ${lastAt ?? firstAt}`;
  return new Rejection(
    `None of ${looked} lines${span} is of ${requestId}. Look in the log of every API process, and in those that were set aside before. Requests are logged while LOG_LEVEL is info or debug.`,
  );
}

/** What to say below the members. */
export function requestSentences(story: RequestStory): readonly string[] {
  const { means, advice, rejection, status } = story;
  if (means !== null && advice !== null) return [means, advice];
  if (rejection === null) return status === null ? [] : ['It was not refused.'];
  return status !== null && status >= 500
    ? ['We could not answer it. It may be repeated.']
    : ['Its answer told the caller why.'];
}
