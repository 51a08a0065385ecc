// A fetch that signs each request: generated clients take it in place of their own.
import { randomBytes } from 'node:crypto';
import { sign } from './create-intent.mts';

const { KEY_ID = '' } = process.env;

export const signedFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const body = new Uint8Array(await request.clone().arrayBuffer());
  const timestamp = new Date().toISOString();
  const nonce = randomBytes(32).toString('hex');
  const { pathname } = new URL(request.url);
  request.headers.set('X-Service-Key-Id', KEY_ID);
  request.headers.set('X-Service-Timestamp', timestamp);
  request.headers.set('X-Service-Nonce', nonce);
  request.headers.set(
    'X-Service-Signature',
    sign(request.method, pathname, timestamp, nonce, body),
  );
  return fetch(request, { redirect: 'manual', signal: AbortSignal.timeout(15_000) });
};
