// The partners of the webhook bench: as many endpoints as are asked for in one process, each on a port of its own, that read
// what they are sent and answer 200. PORT serves who measures: `GET /stats`, and `POST /reset?silent=N`, after which the
// first N endpoints answer nothing.
import { createServer, type RequestListener } from 'node:http';
import { listen } from '../../../src/main/listen';

interface Book {
  readonly ids: Set<string>;
  posts: number;
  firstMs: number;
  lastMs: number;
}

const ENDPOINTS = 10;
const HOST = '127.0.0.1';
const books: Book[] = [];
let silent = 0;

function reset(): void {
  books.length = 0;
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint += 1) {
    books.push({ ids: new Set(), posts: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 });
  }
}

const receive =
  (endpoint: number): RequestListener =>
  (request, response) => {
    request.on('data', () => undefined);
    request.on('end', () => {
      const book = books[endpoint];
      if (endpoint < silent || book === undefined) return;
      const nowMs = performance.now();
      book.ids.add(String(request.headers['webhook-id']));
      book.posts += 1;
      book.firstMs = Math.min(book.firstMs, nowMs);
      book.lastMs = Math.max(book.lastMs, nowMs);
      response.writeHead(200, { 'content-length': '0' }).end();
    });
  };

/** Of those that answer. */
function stats(ports: readonly number[]) {
  const answering = books.slice(silent);
  const firstMs = Math.min(...answering.map((book) => book.firstMs));
  const lastMs = Math.max(...answering.map((book) => book.lastMs));
  return {
    ports,
    events: answering.reduce((sum, book) => sum + book.ids.size, 0),
    posts: answering.reduce((sum, book) => sum + book.posts, 0),
    elapsed_ms: lastMs - firstMs,
  };
}

async function main(): Promise<void> {
  reset();
  const servers = books.map((_, endpoint) => createServer(receive(endpoint)));
  const ports: number[] = [];
  for (const server of servers) {
    // What waits for an answer is cut by a reset only.
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
