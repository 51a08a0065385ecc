// The API's health check for a container: it requests `/readyz` on this host, over TLS where the
// API serves TLS itself (decision 23), and exits with 0 when the API is ready.
import { once } from 'node:events';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { readListeningConfig, type ListeningConfig } from '../config/config';
import { runOnce } from './process';

/** Shorter than the time that Docker gives a check. */
const ANSWER_TIMEOUT_MS = 2_000;

/** An API that listens on all addresses is called on its loopback address. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

runOnce('api-health', async () => {
  const status = await requestReadiness(readListeningConfig());
  if (status !== 200) throw new Error(`the API is not ready: it answered ${String(status)}`);
});

async function requestReadiness(config: ListeningConfig): Promise<number | undefined> {
  const { HOST, PORT, TLS_CERT_FILE } = config;
  const options = {
    host: LOOPBACK_OF[HOST] ?? HOST,
    port: PORT,
    path: '/readyz',
    // The certificate is for the name that callers use. No secret is sent, and only the API listens
    // on this address.
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  };
  const request = TLS_CERT_FILE === undefined ? requestPlain(options) : requestSecure(options);
  const [answer] = (await once(request.end(), 'response')) as [IncomingMessage];
  return answer.statusCode;
}
