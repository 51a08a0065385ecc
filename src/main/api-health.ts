// The API's health check, for a container: asks the API of this host whether it is ready, over TLS where it serves TLS
// itself (decision 23). Ends with 0 when it is.
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { readListeningConfig, type ListeningConfig } from '../config';
import { runOnce } from './process';

/** Below the time that Docker gives a check. */
const ANSWERED_WITHIN_MS = 2_000;

/** Who listens on all addresses of a host is asked on its loopback. */
const ALL_ADDRESSES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

runOnce('api-health', async () => {
  const status = await requestReadiness(readListeningConfig());
  if (status !== 200) throw new Error(`the API is not ready: it answered ${String(status)}`);
});

function requestReadiness({
  HOST,
  PORT,
  TLS_CERT_FILE,
}: ListeningConfig): Promise<number | undefined> {
  const options = {
    host: ALL_ADDRESSES[HOST] ?? HOST,
    port: PORT,
    path: '/readyz',
    // Its certificate is for the name that callers know. Nothing secret is said here, and nobody else listens there.
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
  };
  return new Promise((resolve, reject) => {
    const onAnswer = ({ statusCode }: IncomingMessage) => {
      resolve(statusCode);
    };
    const request =
      TLS_CERT_FILE === undefined
        ? requestPlain(options, onAnswer)
        : requestSecure(options, onAnswer);
    request.on('error', reject).end();
  });
}
