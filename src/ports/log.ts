// What everything outside the composition roots is handed instead of a logging library.
// Never pass a secret, a token, a signature or a QR payload: redaction is the second line, not the first.

import type { About } from '../domain/errors';

type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** What is told of one request: ids, names and numbers of ours, and nothing else that a caller sent. */
export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  /** The route's template. */
  readonly route: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly about: About;
  /** The true cause of a rejection. */
  readonly rejection: string | undefined;
}

export interface RequestLog {
  answered(line: RequestLine): void;
}
