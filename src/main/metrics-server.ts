// Serves the metrics and the probes of a process on their own port: the API's port serves /v1,
// /flow and its health only.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Log } from '../ports/observe';

interface Exposed {
  readonly contentType: string;
  expose(): Promise<string>;
}

type Route = (response: ServerResponse) => Promise<void>;

/** @param isReady for `/readyz`; without it there is no such path */
export function serveMetrics(metrics: Exposed, log: Log, isReady?: () => Promise<boolean>): Server {
  const routes: Readonly<Record<string, Route>> = {
    '/metrics': async (response) => {
      const text = await metrics.expose();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    },
    // An answer proves that the event loop runs. Nothing else may restart a process.
    '/livez'(response) {
      response.writeHead(200).end();
      return Promise.resolve();
    },
    ...(isReady && {
      '/readyz': async (response) => {
        response.writeHead((await isReady()) ? 200 : 503).end();
      },
    }),
  };
  return createServer((request, response) => {
    const route = routes[request.url ?? ''];
    if (route === undefined) {
      response.writeHead(404).end();
      return;
    }
    route(response).catch((error: unknown) => {
      // A failed read of the metrics must not end the process.
      log.error({ err: error, path: request.url }, 'no answer could be made; answered 500');
      response.writeHead(500).end();
    });
  });
}
