// Metrics on a port of their own: the API serves /v1 and health, nothing else (architecture, section 7).
import { createServer, type Server } from 'node:http';

interface Exposed {
  readonly contentType: string;
  expose(): Promise<string>;
}

export function serveMetrics(metrics: Exposed): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void metrics.expose().then((text) => {
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    });
  });
}
