// Reads a request target in absolute form (`GET http://host/v1/… HTTP/1.1`) as the origin form that
// every route and signature uses. A server must accept both (RFC 9112, section 3.2.2).
import type { Middleware } from 'koa';
import type { RequestState } from '../context';
import { DomainError } from '../../src/domain/errors';

/** Text, not a parsed URL: the path counts as sent, undecoded. */
const ABSOLUTE = /^https?:\/\/[^/?#@]+(?<target>.*)$/is;

/** @throws DomainError `not_found` for a target without a path, such as `*` */
export function originForm(): Middleware<RequestState> {
  return async (ctx, next) => {
    const target = toOriginForm(ctx.req.url ?? '');
    if (target === undefined) throw new DomainError('not_found');
    ctx.req.url = target;
    await next();
  };
}

function toOriginForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const absolute = ABSOLUTE.exec(target)?.groups?.['target'];
  return absolute?.startsWith('/') === false ? `/${absolute}` : absolute;
}
