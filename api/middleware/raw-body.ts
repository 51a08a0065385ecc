// The exact bytes received, bounded, before anything parses them: the signature is over these (spec, "Request signing").
import type { Middleware } from 'koa';
import getRawBody from 'raw-body';
import type { RequestState } from '../context';
import { DomainError } from '../../src/domain/errors';
import { BODY_MAX_BYTES } from '../../src/domain/limits';

export function rawBody(): Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined) throw withoutHost();
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

/** RFC 9112, section 3.2: a request of HTTP/1.1 without Host is answered 400. */
function withoutHost(): DomainError {
  return new DomainError('validation_failed', {
    detail: 'The Host header is missing.',
    reason: 'host_missing',
  });
}

function cutShort(cause: unknown): DomainError {
  return new DomainError('validation_failed', {
    detail: 'The body ended before its declared length.',
    reason: 'body_cut_short',
    cause,
  });
}
