// The application: middleware in the order a request meets it.
import Koa from 'koa';
import type { ApiDependencies, RequestState } from './context';
import { checkoutHeaders } from './checkout/headers';
import { accessLog } from './middleware/access-log';
import { errorHandler } from './middleware/error-handler';
import { noRoute } from './middleware/no-route';
import { originForm } from './middleware/origin-form';
import { rawBody } from './middleware/raw-body';
import { requestCeiling } from './middleware/request-ceiling';
import { requestId } from './middleware/request-id';
import { createRoutes } from './routes';

export function createApp(dependencies: ApiDependencies): Koa<RequestState> {
  const { clock, log, metrics, randomness, requestLog, settings } = dependencies;
  const app = new Koa<RequestState>();
  app.use(requestId(randomness));
  app.use(accessLog({ clock, requestLog, metrics }));
  app.use(errorHandler({ settings, log }));
  app.use(originForm());
  app.use(checkoutHeaders(settings));
  app.use(requestCeiling(settings.requestsMax, metrics));
  app.use(rawBody());
  const routes = createRoutes(dependencies);
  app.use(routes.routes());
  app.use(noRoute(routes));
  app.on('error', (error: unknown) => {
    log.error({ err: error }, 'a response could not be sent');
  });
  return app;
}
