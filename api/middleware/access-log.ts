// Logs and measures each request: its route, its status, and the true reason of a rejection.
import type { Middleware } from 'koa';
import type { ApiDependencies, RequestState } from '../context';
import type { About } from '../../src/domain/errors';

type AccessLogOptions = Pick<ApiDependencies, 'clock' | 'requestLog' | 'metrics'>;

export function accessLog(options: AccessLogOptions): Middleware<RequestState> {
  const { clock, requestLog, metrics } = options;
  return async (ctx, next) => {
    const startedMs = clock.now().getTime();
    await next();
    const durationMs = clock.now().getTime() - startedMs;
    const route = routeOf(ctx);
    metrics.requestAnswered(route, ctx.method, ctx.status, durationMs / 1_000);
    const { requestId, rejection } = ctx.state;
    const about = merged(rejection?.about, ctx.state.about);
    if (rejection?.code === 'authentication_failed') {
      metrics.credentialsRejected(about.credentials ?? 'none', rejection.reason);
    }
    requestLog.answered({
      request_id: requestId,
      method: ctx.method,
      route,
      status: ctx.status,
      duration_ms: durationMs,
      about,
      rejection: rejection?.reason,
      member: rejection?.member,
    });
  };
}

/** Values of `first` win: those of the rejection over those of the credentials. */
function merged(first: About = {}, second: About = {}): About {
  return {
    credentials: first.credentials ?? second.credentials,
    key_id: first.key_id ?? second.key_id,
    partner_id: first.partner_id ?? second.partner_id,
    intent_id: first.intent_id ?? second.intent_id,
    // Of rejected credentials only.
    seen_from: first.credentials && second.seen_from,
    key_set_failure: first.key_set_failure,
  };
}

/** The route's template. The path as sent is not logged: it may contain ids or any other text. */
function routeOf(ctx: object): string {
  const matched = '_matchedRoute' in ctx ? ctx._matchedRoute : undefined;
  return typeof matched === 'string' ? matched : 'none';
}
