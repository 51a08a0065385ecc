// The webhook endpoints of the webhook bench in one process, each on its own port. They read each
// request and answer 200. PORT serves the bench: `POST /stats`, and `POST /reset?silent=N`, after
// which the first N endpoints answer nothing.
import { createServer, type RequestListener } from 'node:http';
import { listen } from '../../../src/main/listen';

interface Received {
  readonly ids: Set<string>;
  posts: number;
  firstMs: number;
  lastMs: number;
}

const ENDPOINTS = 10;
const HOST = '127.0.0.1';
const received: Received[] = [];
let silent = 0;

function reset(): void {
  received.length = 0;
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint += 1) {
    received.push({ ids: new Set(), posts: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 });
  }
}

const receive =
  (endpoint: number): RequestListener =>
  (request, response) => {
    request.on('data', () => undefined);
    request.on('end', () => {
      const own = received[endpoint];
      if (endpoint < silent || own === undefined) return;
      const nowMs = performance.now();
      own.ids.add(String(request.headers['webhook-id']));
      own.posts += 1;
      own.firstMs = Math.min(own.firstMs, nowMs);
      own.lastMs = Math.max(own.lastMs, nowMs);
      response.writeHead(200, { 'content-length': '0' }).end();
    });
  };

/** The numbers of the endpoints that answer. */
function stats(ports: readonly number[]) {
  const answering = received.slice(silent);
  const firstMs = Math.min(...answering.map((one) => one.firstMs));
  const lastMs = Math.max(...answering.map((one) => one.lastMs));
  return {
    ports,
    events: answering.reduce((sum, { ids }) => sum + ids.size, 0),
    posts: answering.reduce((sum, { posts }) => sum + posts, 0),
    elapsed_ms: lastMs - firstMs,
  };
}

async function main(): Promise<void> {
  reset();
  const servers = received.map((_, endpoint) => createServer(receive(endpoint)));
  const ports: number[] = [];
  for (const server of servers) {
    // No timeout: only a reset cuts the requests that a silent endpoint leaves unanswered.
    server.requestTimeout = 0;
    ports.push(await listen(server, 0, HOST));
  }
  const control = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${HOST}`);
    if (pathname === '/reset') {
      for (const server of servers.slice(0, silent)) server.closeAllConnections();
      silent = Number(searchParams.get('silent'));
      reset();
    }
    response.end(JSON.stringify(stats(ports)));
  });
  await listen(control, Number(process.env['PORT']), HOST);
  process.stdout.write('{"msg":"ready"}\n');
}

void main();
