// What the log of the API has of one request.
import { explanationOf } from './rejection-reasons';
import type { LogEntry } from './request-log';

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
  /**
   * Of a rejected signature: `socket: ADDRESS`, or `forwarded 2: ADDRESS` for the second
   * X-Forwarded-For from the right.
   */
  readonly seen_from: string | null;
  /** For rejected credentials: the cause in words, and what to do. */
  readonly means: string | null;
  readonly advice: string | null;
  /** Messages of the errors that were logged for the request. */
  readonly failures: readonly string[];
}

export function toStory(requestId: string, entries: readonly LogEntry[]): RequestStory {
  // A failure is logged before the response, and without one if no response could be sent.
  const request = entries.find((entry) => numberIn(entry, 'status') !== null) ?? {};
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
    seen_from: textIn(request, 'seen_from'),
    ...(explanationOf(credentials, rejection) ?? { means: null, advice: null }),
    failures: entries.map(failureIn).filter((failure) => failure !== null),
  };
}

/** Null unless the entry has it as a text. */
export function textIn(entry: LogEntry, name: string): string | null {
  const value = entry[name];
  return typeof value === 'string' ? value : null;
}

function numberIn(entry: LogEntry, name: string): number | null {
  const value = entry[name];
  return typeof value === 'number' ? value : null;
}

/** Of a call that failed, or of a key set that could not be fetched at that time. */
function failureIn({ err, key_set_failure: ofKeySet }: LogEntry): string | null {
  if (typeof ofKeySet === 'string') return `key set not fetched: ${ofKeySet}`;
  if (typeof err !== 'object' || err === null || !('message' in err)) return null;
  return typeof err.message === 'string' ? err.message : null;
}
