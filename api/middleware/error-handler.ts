// Turns every rejection and every bug into an error response: the cause goes to the log, the
// envelope to the caller.
import type { Middleware } from 'koa';
import type { ApiSettings, RequestState } from '../context';
import type { Log } from '../../src/ports/observe';
import { toErrorReply } from '../errors';
import { DomainError } from '../../src/domain/errors';

interface ErrorHandlerOptions {
  readonly settings: Pick<ApiSettings, 'errorEnvelope'>;
  readonly log: Log;
}

export function errorHandler({ settings, log }: ErrorHandlerOptions): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const isExpected = error instanceof DomainError;
      const rejection = isExpected ? error : new DomainError('internal_error', { cause: error });
      ctx.state.rejection = rejection;
      if (rejection.code === 'internal_error' || rejection.code === 'unavailable') {
        log.error({ err: error, request_id: ctx.state.requestId }, 'request failed');
      }
      const reply = toErrorReply(rejection, settings.errorEnvelope, ctx.state.requestId);
      ctx.status = reply.status;
      ctx.set(reply.headers);
      ctx.type = 'application/json; charset=utf-8';
      ctx.body = reply.body;
    }
  };
}
