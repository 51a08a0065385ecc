// pino with a redaction list. The list is the second line of defence: no caller should pass a
// secret to a log at all.
import { pino, type DestinationStream, type Logger } from 'pino';
import type { RequestLog } from '../ports/observe';
import { VERSION } from './version';

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
  // The `detail` of a Postgres error quotes the values of the row that failed.
  'detail',
];

/**
 * One JSON line per entry.
 * @param name of the process, such as `worker`
 * @param output standard output unless given
 */
export function createLogger(name: string, level: string, output?: DestinationStream): Logger {
  const paths = SECRETS.flatMap((secret) => [secret, `*.${secret}`]);
  const redact = { paths, censor: '[redacted]' };
  return pino({ ...commonOptions(name, level), redact }, output);
}

/** One line per request. Its type has no member that would have to be redacted. */
export function createRequestLog(
  name: string,
  level: string,
  output: DestinationStream = pino.destination({ sync: true }),
): RequestLog {
  const log = pino(commonOptions(name, level), output);
  return {
    // Listed member by member: an object spread from others takes three times as long to write.
    // pino skips undefined.
    answered({ request_id, method, route, status, duration_ms, about, rejection, member }) {
      const { credentials, key_id, partner_id, intent_id, seen_from, key_set_failure } = about;
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
          member,
          seen_from,
          key_set_failure,
        },
        'request',
      );
    },
  };
}

function commonOptions(name: string, level: string) {
  return {
    level,
    base: { service: `payment-intents-${name}`, version: VERSION },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
}
