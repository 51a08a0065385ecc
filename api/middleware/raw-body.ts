// The exact bytes received, bounded, before anything parses them: the signature is over these (spec, "Request signing").
import type { Middleware } from 'koa';
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import type { RequestState } from '../context';
import { headerValues } from '../headers';
import { DomainError } from '../../src/domain/errors';
import { BODY_MAX_BYTES } from '../../src/domain/limits';

export function rawBody(): Middleware<RequestState> {
  return async (ctx, next) => {
    requireOneHost(ctx.req);
    ctx.state.body = await read(ctx.req, Number(ctx.get('Content-Length')));
    await next();
  };
}

async function read(stream: NodeJS.ReadableStream, declaredBytes: number): Promise<Buffer> {
  if (declaredBytes > BODY_MAX_BYTES) throw tooLarge();
  try {
    return await getRawBody(stream, { limit: BODY_MAX_BYTES });
  } catch (error) {
    throw isTooLarge(error) ? tooLarge() : cutShort(error);
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'entity.too.large';
}

/** A body over 64 kB is 400 unread (decision 24). */
function tooLarge(): DomainError {
  return new DomainError('validation_failed', {
    detail: `The body is larger than ${String(BODY_MAX_BYTES)} bytes.`,
    reason: 'body_too_large',
  });
}

/** RFC 9112, section 3.2: a request of HTTP/1.1 without Host, and any with more than one, is answered 400. */
function requireOneHost(request: IncomingMessage): void {
  const hosts = headerValues(request, 'host').length;
  const isMissing = hosts === 0 && request.httpVersion === '1.1';
  if (hosts <= 1 && !isMissing) return;
  throw new DomainError('validation_failed', {
    detail: isMissing ? 'The Host header is missing.' : 'There is more than one Host header.',
    reason: isMissing ? 'host_missing' : 'host_repeated',
  });
}

function cutShort(cause: unknown): DomainError {
  return new DomainError('validation_failed', {
    detail: 'The body did not arrive whole.',
    reason: 'body_cut_short',
    cause,
  });
}
