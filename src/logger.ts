// pino with a redaction list: the second line of defence, since nothing should hand a secret to a log at all.
import { pino, type DestinationStream, type Logger } from 'pino';
import type { RequestLog } from './ports/log';

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
export function createLogger(name: string, level: string, output?: DestinationStream): Logger {
  const paths = SECRETS.flatMap((secret) => [secret, `*.${secret}`]);
  const redact = { paths, censor: '[redacted]' };
  return pino({ ...commonOptions(name, level), redact }, output);
}

/** A line per request. Its type admits nothing that would have to be redacted. */
export function createRequestLog(
  name: string,
  level: string,
  output: DestinationStream = pino.destination({ sync: true }),
): RequestLog {
  const log = pino(commonOptions(name, level), output);
  return {
    // Member by member: what is put together of other objects takes three times as long to write. Undefined is not written.
    answered({ request_id, method, route, status, duration_ms, about, rejection }) {
      const { credentials, key_id, partner_id, intent_id } = about;
      log.info(
        {
          request_id,
          method,
          route,
          status,
          duration_ms,
          credentials,
          key_id,
          partner_id,
          intent_id,
          rejection,
        },
        'request',
      );
    },
  };
}

function commonOptions(name: string, level: string) {
  return { level, base: { process: name }, timestamp: pino.stdTimeFunctions.isoTime };
}
