// The bare Koa of refusals (bare-koa.ts) with the steps that STEPS names, of those that nobody who refuses for a reason can leave out:
// what they leave of its rate is what any program on Koa can reach at most. It looks nothing up and knows one key.
import {
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  randomUUID,
  verify,
} from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import getRawBody from 'raw-body';
import { createRequestLog } from '../../../src/logger';
import { canonicalRequest } from '../../../src/signing/canonical-request';
import { isEqualInConstantTime, signCanonicalRequest } from '../../../src/signing/hmac';

const BODY = JSON.stringify({ error: 'authentication_failed', message: 'Authentication failed.' });
const BODY_MAX_BYTES = 65_536;
const RSA_BITS = 2_048;
const STEPS = new Set((process.env['STEPS'] ?? '').split('+'));

const secret = createSecretKey(Buffer.alloc(64, 'x'));
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: RSA_BITS });
const rsaKey = createPublicKey(publicKey.export({ format: 'pem', type: 'spki' }));
const log = createRequestLog('floor', 'info');

/** Over the exact bytes (spec, "Request signing"). */
function isSigned(ctx: Koa.Context, body: Buffer): boolean {
  const { method, path } = ctx;
  const [timestamp, nonce] = [ctx.get('x-service-timestamp'), ctx.get('x-service-nonce')];
  const text = canonicalRequest({ method, path, timestamp, nonce, body });
  const expected = signCanonicalRequest(text, secret);
  return isEqualInConstantTime(expected, ctx.get('x-service-signature'));
}

/** RS256 over its first two parts, once both are JSON (spec, "Session JWT"). */
function isVerified(token: string): boolean {
  const end = token.lastIndexOf('.');
  const signed = token.slice(0, end);
  for (const part of signed.split('.')) JSON.parse(Buffer.from(part, 'base64url').toString());
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  return verify('RSA-SHA256', Buffer.from(signed), rsaKey, signature);
}

function readBody(req: IncomingMessage): Promise<Buffer> {
  const length = req.headers['content-length'];
  return length === undefined
    ? Promise.resolve(Buffer.alloc(0))
    : getRawBody(req, { length, limit: BODY_MAX_BYTES });
}

function tell(ctx: Koa.Context, startedAt: number): void {
  const request_id = randomUUID();
  ctx.set('X-Request-Id', request_id);
  log.answered({
    request_id,
    method: ctx.method,
    route: ctx.path,
    status: ctx.status,
    duration_ms: performance.now() - startedAt,
    about: { credentials: 'signed_request', key_id: ctx.get('x-service-key-id') },
    refusal: 'signature_wrong',
  });
}

const app = new Koa();
app.use(async (ctx) => {
  const startedAt = performance.now();
  const body = STEPS.has('body') ? await readBody(ctx.req) : Buffer.alloc(0);
  const isRight =
    (STEPS.has('hmac') && isSigned(ctx, body)) ||
    (STEPS.has('rs256') && isVerified(ctx.get('authorization').slice('Bearer '.length)));
  ctx.status = isRight ? 500 : 401;
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = BODY;
  if (STEPS.has('log')) tell(ctx, startedAt);
});
app.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  process.stdout.write('{"msg":"ready"}\n');
});
