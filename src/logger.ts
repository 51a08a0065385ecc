// pino with a redaction list: the second line of defence, since nothing should hand a secret to a log at all.
import { pino, type DestinationStream, type Logger } from 'pino';

const SECRETS = [
  'secret',
  'signature',
  'token',
  'authorization',
  'password',
  'private_key',
  'qr_payload',
  'qrPayload',
  'body',
  // Of an error from Postgres: it quotes the values of the row that failed.
  'detail',
];

/** One JSON line per entry, on standard output unless told. */
export function createLogger(process: string, level: string, output?: DestinationStream): Logger {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`]);
  return pino(
    {
      level,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths, censor: '[redacted]' },
    },
    output,
  );
}
