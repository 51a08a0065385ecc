// The routes: the four endpoints, the checkout and health. The API serves nothing else.
import Router from '@koa/router';
import type { ApiDependencies, RequestState } from './context';
import { createCredentials, type Credentials } from './auth/credentials';
import { serveAsset, servePage } from './checkout/files';
import { serveLogo } from './checkout/logo';
import { postQuote } from './checkout/quote';
import { getSession, getStatus } from './checkout/session';
import { cancelIntent } from './intents/cancel';
import { confirmIntent } from './intents/confirm';
import { createIntent } from './intents/create';
import { getIntent } from './intents/get';

const INTENTS = '/v1/payment_intents';
const INTENT = `${INTENTS}/:intent_id`;
const FLOW = '/flow/:intent_id';

export function createRoutes(dependencies: ApiDependencies): Router<RequestState> {
  const credentials = createCredentials(dependencies);
  const create = createIntent(dependencies, credentials);
  const get = getIntent(dependencies, credentials);
  const confirm = confirmIntent(dependencies, credentials);
  const cancel = cancelIntent(dependencies, credentials);
  const routes = new Router<RequestState>({ strict: true, sensitive: true });
  routes.post(INTENTS, (ctx) => create(ctx));
  routes.get(INTENT, (ctx) => get(ctx, ctx.params['intent_id'] ?? ''));
  routes.post(`${INTENT}/confirm`, (ctx) => confirm(ctx, ctx.params['intent_id'] ?? ''));
  routes.post(`${INTENT}/cancel`, (ctx) => cancel(ctx, ctx.params['intent_id'] ?? ''));
  addCheckout(routes, dependencies, credentials);
  routes.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  routes.get('/readyz', async (ctx) => {
    const isUp = await dependencies.isDatabaseUp();
    ctx.status = isUp ? 200 : 503;
    ctx.body = { status: isUp ? 'ready' : 'not ready', postgres: isUp ? 'up' : 'down' };
  });
  return routes;
}

function addCheckout(
  routes: Router<RequestState>,
  dependencies: ApiDependencies,
  credentials: Credentials,
): void {
  const page = servePage(dependencies.checkout);
  const asset = serveAsset(dependencies.checkout);
  const logo = serveLogo(dependencies);
  const session = getSession(dependencies, credentials);
  const status = getStatus(dependencies, credentials);
  const quote = postQuote(dependencies, credentials);
  routes.get('/flow/assets/:name', (ctx) => {
    asset(ctx, ctx.params['name'] ?? '');
  });
  routes.get('/flow/logos/:name', (ctx) => logo(ctx, ctx.params['name'] ?? ''));
  routes.get(`${FLOW}/scan`, (ctx) => {
    page(ctx);
  });
  routes.get(`${FLOW}/session`, (ctx) => session(ctx, ctx.params['intent_id'] ?? ''));
  routes.get(`${FLOW}/status`, (ctx) => status(ctx, ctx.params['intent_id'] ?? ''));
  routes.post(`${FLOW}/quote`, (ctx) => quote(ctx, ctx.params['intent_id'] ?? ''));
}
