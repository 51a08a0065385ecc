// Reads the exact bytes of the body, within bounds, before anything parses them: the signature
// covers these bytes (protocol 3.2).
import type { Middleware } from 'koa';
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import type { RequestState } from '../context';
import { headerValues } from '../headers';
import { DomainError } from '../../src/domain/errors';
import { BODY_CHUNKS_MAX, BODY_MAX_BYTES } from '../../src/domain/limits';

const NO_BYTES = Buffer.alloc(0);
const TOO_LARGE = 'body_too_large';

export function rawBody(): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      requireOneHost(ctx.req);
      requirePlainChunks(ctx.req);
      ctx.state.body = await read(ctx.req, Number(ctx.get('Content-Length')));
    } catch (error) {
      // Reading the rest of a chunked body costs more than closing the connection. A body that is
      // only too large is discarded instead.
      const isForSize = error instanceof DomainError && error.reason === TOO_LARGE;
      if (ctx.get('Transfer-Encoding') !== '' && !isForSize) ctx.set('Connection', 'close');
      throw error;
    }
    await next();
  };
}

async function read(stream: IncomingMessage, declaredBytes: number): Promise<Buffer> {
  if (hasNoBody(stream)) return NO_BYTES;
  if (declaredBytes > BODY_MAX_BYTES) throw tooLarge();
  let chunks = 0;
  stream.on('data', () => {
    chunks += 1;
    // Ends the read below in the same way as a client that disconnects.
    if (chunks === BODY_CHUNKS_MAX + 1) stream.emit('aborted');
  });
  try {
    return await getRawBody(stream, { limit: BODY_MAX_BYTES });
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge();
    throw chunks > BODY_CHUNKS_MAX
      ? invalidRequest(
          'body_in_too_many_chunks',
          `The body came in more than ${String(BODY_CHUNKS_MAX)} chunks.`,
        )
      : invalidRequest('body_cut_short', 'The body did not arrive completely.', error);
  }
}

/** A request with neither header has no body (RFC 9112, section 6.3). */
function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'entity.too.large';
}

/** A body over 64 kB is answered 400 without being read (decision 24). */
function tooLarge(): DomainError {
  return invalidRequest(TOO_LARGE, `The body is larger than ${String(BODY_MAX_BYTES)} bytes.`);
}

/** Node decodes only chunking. It would hand over a body with any other coding still encoded. */
function requirePlainChunks(request: IncomingMessage): void {
  const codings = headerValues(request, 'transfer-encoding');
  if (codings.length === 0) return;
  // Coding names are case-insensitive (RFC 9112, section 7).
  if (codings.length === 1 && codings[0]?.toLowerCase() === 'chunked') return;
  throw invalidRequest(
    'transfer_encoding_unsupported',
    'A Transfer-Encoding other than chunked is not supported.',
  );
}

/** HTTP/1.1 without Host, and any request with several, is answered 400 (RFC 9112, section 3.2). */
function requireOneHost(request: IncomingMessage): void {
  const hosts = headerValues(request, 'host').length;
  const isMissing = hosts === 0 && request.httpVersion === '1.1';
  if (hosts <= 1 && !isMissing) return;
  throw isMissing
    ? invalidRequest('host_missing', 'The Host header is missing.')
    : invalidRequest('host_repeated', 'There is more than one Host header.');
}

function invalidRequest(reason: string, detail: string, cause?: unknown): DomainError {
  return new DomainError('validation_failed', { detail, reason, cause });
}
