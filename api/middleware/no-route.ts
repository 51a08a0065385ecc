// Rejects a request that no route takes, with its cause for the log: the log never has the path as
// sent, and the 404 does not say which part of the request line is wrong (protocol 1.7).
import type Router from '@koa/router';
import type { Middleware } from 'koa';
import type { RequestState } from '../context';
import { DomainError } from '../../src/domain/errors';

/** @throws DomainError `not_found`, always */
export function noRoute(routes: Router<RequestState>): Middleware<RequestState> {
  return ({ path, method }) => {
    throw new DomainError('not_found', { reason: causeOf(routes, path, method) });
  };
}

export type RouteRejection =
  'path_has_v1_twice' | 'path_ends_with_slash' | 'method_not_allowed' | 'path_unknown';

function causeOf(routes: Router<RequestState>, path: string, method: string): RouteRejection {
  if (path.includes('/v1/v1/')) return 'path_has_v1_twice';
  if (path.endsWith('/')) return 'path_ends_with_slash';
  return routes.match(path, method).path.length > 0 ? 'method_not_allowed' : 'path_unknown';
}
