// What everything outside the composition roots is handed instead of a logging library.
// Never pass a secret, a token, a signature or a QR payload: redaction is the second line, not the first.

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
  /** Which credentials it brought, and whose they are: `credentials`, `key_id`, `partner_id`, `intent_id`. */
  readonly about: Readonly<Record<string, string>>;
  /** The true cause of a refusal. */
  readonly refusal: string | undefined;
}

export interface RequestLog {
  answered(line: RequestLine): void;
}
