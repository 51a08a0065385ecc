// What everything outside the composition roots is handed instead of a logging library.
// Never pass a secret, a token, a signature or a QR payload: redaction is the second line, not the first.

type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
