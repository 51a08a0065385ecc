// Answers 503 to requests beyond a number in progress, except to health (decision 24).
import type { Middleware } from 'koa';
import type { RequestState } from '../context';
import { DomainError } from '../../src/domain/errors';
import type { Metrics } from '../../src/ports/observe';

type InProgress = Pick<Metrics, 'requestsInProgress'>;

const HEALTH = ['/healthz', '/readyz'];

/** @throws DomainError `unavailable` before anything of the request is read but its headers */
export function requestCeiling(max: number, metrics: InProgress): Middleware<RequestState> {
  let inProgress = 0;
  const count = (change: number) => {
    inProgress += change;
    metrics.requestsInProgress(inProgress);
  };
  return async (ctx, next) => {
    if (inProgress >= max && !HEALTH.includes(ctx.path)) {
      throw new DomainError('unavailable', { reason: 'too_many_requests' });
    }
    count(1);
    try {
      await next();
    } finally {
      count(-1);
    }
  };
}
