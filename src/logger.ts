// pino with a redaction list: the second line of defence, since nothing should hand a secret to a log at all.
import { pino, type Logger } from 'pino';

const SECRETS = [
  'secret',
  'signature',
  'token',
  'authorization',
  'password',
  'private_key',
  'qr_payload',
  'body',
];

/** One JSON line per entry on standard output. */
export function createLogger(process: string, level: string): Logger {
  return pino({
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  });
}
