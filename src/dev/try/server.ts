// The server behind `npm run sandbox:try`: a page on which a person plays one payment. It listens on the loopback, keeps nothing
// (the address of a page says which payment it is), and gives no secret of a partner to the browser.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { answerRequest, type TryDeps } from './routes';

const REQUEST_TIMEOUT_MS = 10_000;
const CONNECTIONS_MAX = 64;

/** Scripts are not allowed at all, so none is needed to be trusted. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // Not `no-referrer`: with that a form would be sent from the origin "null".
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Not listening yet. */
export function createTryServer(deps: TryDeps): Server {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (!isOurOwn(request)) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end('Not from this page.\n');
      return;
    }
    void answerRequest(request, response, deps);
  });
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}

/**
 * Any web site may have a browser send requests to the loopback, and a name of its own may lead there. Neither may make payments
 * here, or read what is shown.
 */
function isOurOwn({ headers, socket, method }: IncomingMessage): boolean {
  const port = String(socket.localPort ?? '');
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? '')) return false;
  if (method === 'GET') return true;
  const origin = headers.origin;
  return origin === undefined || hosts.some((host) => origin === `http://${host}`);
}
