// Logging without a logging library. Never pass a secret, token, signature or QR payload: redaction
// is only the second line of defence.

import type { About } from '../domain/errors';

type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** The log line of one request. It holds nothing that a caller sent but ids we know. */
export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  /** The route's template, without ids. */
  readonly route: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly about: About;
  /** The internal cause of a rejection, which the caller does not see. */
  readonly rejection: string | undefined;
  /** The name of the member of body or token that was not valid, never its value. */
  readonly member: string | undefined;
}

export interface RequestLog {
  answered(line: RequestLine): void;
}
