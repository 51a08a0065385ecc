// Sets `X-Request-Id` on every response, so that operators find the request in the log (decision
// 2).
import type { Middleware } from 'koa';
import type { RequestState } from '../context';
import type { Randomness } from '../../src/ports/clock';

const REQUEST_ID_BYTES = 12;

export function makeRequestId(randomness: Randomness): string {
  return `req_${Buffer.from(randomness.bytes(REQUEST_ID_BYTES)).toString('hex')}`;
}

export function requestId(randomness: Randomness): Middleware<RequestState> {
  return async (ctx, next) => {
    ctx.state.requestId = makeRequestId(randomness);
    ctx.set('X-Request-Id', ctx.state.requestId);
    await next();
  };
}
