// Turns every rejection and every bug into an error response: the cause goes to the log, the
// envelope to the caller.
import type { Middleware } from 'koa';
import type { ApiContext, RequestState } from '../context';
import { toErrorReply, type ErrorEnvelope } from '../errors';
import { DomainError } from '../../src/domain/errors';
import type { Log } from '../../src/ports/observe';

interface ErrorHandlerOptions {
  readonly envelope: ErrorEnvelope;
  readonly log: Log;
}

export function errorHandler({ envelope, log }: ErrorHandlerOptions): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const rejection = toRejection(error);
      ctx.state.rejection = rejection;
      if (rejection.code === 'internal_error' || rejection.code === 'unavailable') {
        log.error({ err: error, request_id: ctx.state.requestId }, 'request failed');
      }
      answer(ctx, rejection, envelope);
    }
  };
}

function answer(ctx: ApiContext, rejection: DomainError, envelope: ErrorEnvelope): void {
  const reply = toErrorReply(rejection, envelope, ctx.state.requestId);
  ctx.status = reply.status;
  ctx.set(reply.headers);
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = reply.body;
}

function toRejection(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  return new DomainError('internal_error', { cause: error });
}
