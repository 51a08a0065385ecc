// The network between the payer and the service: an HTTP proxy that records requests, and that a
// test can cut, pause, or make lose answers.
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

interface Arrival {
  readonly method: string;
  /** Path and query as requested. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Network {
  readonly url: string;
  /** Every request that reached the proxy, in order. */
  readonly arrivals: Arrival[];
  /** Requests to these paths reach the service, and their answers never reach the payer. */
  loseAnswersTo(path: RegExp): void;
  /** Requests to these paths wait in the proxy. */
  hold(path: RegExp): void;
  /** Answers have this Date. */
  setDate(date: Date): void;
  /** Breaks all connections, and every new one, until {@link mend}. */
  cut(): void;
  /** Lets all requests pass again, also the waiting ones. */
  mend(): void;
  close(): Promise<void>;
}

interface State {
  isCut: boolean;
  lost: RegExp | null;
  date: Date | null;
  held: {
    readonly path: RegExp;
    readonly until: Promise<void>;
    readonly release: () => void;
  } | null;
}

export async function openNetwork(target: string): Promise<Network> {
  const arrivals: Arrival[] = [];
  const sockets = new Set<Socket>();
  const state: State = { isCut: false, lost: null, date: null, held: null };
  const server = createServer((request, response) => {
    void pass({ request, response, target, state, arrivals });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (state.isCut) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    loseAnswersTo(path) {
      state.lost = path;
    },
    hold(path) {
      let release = (): void => undefined;
      const until = new Promise<void>((resolve) => {
        release = resolve;
      });
      state.held = { path, until, release };
    },
    setDate(date) {
      state.date = date;
    },
    cut() {
      state.isCut = true;
      endAll();
    },
    mend() {
      state.held?.release();
      Object.assign(state, { isCut: false, lost: null, date: null, held: null });
    },
    async close() {
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
  readonly state: State;
  readonly arrivals: Arrival[];
}

async function pass({ request, response, target, state, arrivals }: Passing): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = await bodyOf(request);
  arrivals.push({ method, url, headers, body: body.toString('utf8') });
  if (state.held?.path.test(url) === true) await state.held.until;
  const upstream = httpRequest(`${target}${url}`, { method, headers });
  upstream.on('error', () => response.destroy());
  upstream.on('response', (answer) => {
    if (state.isCut || state.lost?.test(url) === true) {
      answer.resume();
      response.destroy();
      return;
    }
    const date = state.date === null ? {} : { date: state.date.toUTCString() };
    response.writeHead(answer.statusCode ?? 0, { ...answer.headers, ...date });
    answer.pipe(response);
  });
  upstream.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // A closed connection ends the body too.
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  await Promise.race([once(request, 'end'), once(request, 'close')]);
  return Buffer.concat(chunks);
}
