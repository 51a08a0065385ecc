// Serves the metrics on their own port: the API's port serves /v1, /flow and health only
// (architecture, section 7).
import { createServer, type Server } from 'node:http';
import type { Log } from '../ports/log';

interface Exposed {
  readonly contentType: string;
  expose(): Promise<string>;
}

export function serveMetrics(metrics: Exposed, log: Log): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.expose().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      (error: unknown) => {
        // A failed read of the metrics must not end the process.
        log.error({ err: error }, 'the metrics could not be read; answered 500');
        response.writeHead(500).end();
      },
    );
  });
}
