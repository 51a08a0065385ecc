// Postgres being away, being silent or slow, and an answer of it being lost: a TCP proxy before it that a test cuts and
// mends. Any other server that is reached by TCP may stand behind it.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createLane } from '../support/http/slow-lane';

export type CutProxy = Awaited<ReturnType<typeof startCutProxy>>;

const MENDED = {
  isCut: false,
  isMuted: false,
  isStalled: false,
  delayMs: 0,
  intercepted: undefined,
};

/** Before the server of a database's URL. Clients must not ask for TLS, and tests do not. */
export async function startCutProxy(databaseUrl: string) {
  let target = new URL(databaseUrl);
  const state: ProxyState = { ...MENDED, held: [], unanswered: undefined };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (state.isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    join(client, upstream, state);
    if (state.isMuted) mute([client, upstream]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  [url.hostname, url.port] = ['127.0.0.1', String(port)];
  return {
    /** The same database, through the proxy. */
    url: url.href,
    ...faultsOf(state, sockets),
    /** Ends every connection; new ones go to another server, as after a failover. */
    moveTo(other: string) {
      target = new URL(other);
      endAll(sockets);
    },
    /**
     * The next statement of that name reaches Postgres and takes effect there; its connection is gone before the answer has
     * come back, which is when this comes back.
     */
    loseAnswerTo: (statementName: string) =>
      new Promise<void>((resolve) => {
        state.unanswered = { statementName, onLost: resolve };
      }),
    async close() {
      endAll(sockets);
      server.close();
      await once(server, 'close');
    },
  };
}

function faultsOf(state: ProxyState, sockets: ReadonlySet<Socket>) {
  return {
    /** Ends every connection, and every new one at once, until it is mended. */
    cut() {
      state.isCut = true;
      endAll(sockets);
    },
    /** Nothing comes through until it is mended, and no connection ends: what was sent by then arrives late. */
    mute() {
      state.isMuted = true;
      mute(sockets);
    },
    /**
     * A partition as the kernels at both ends see it: what was sent stays unacknowledged until it is mended. A connection
     * that was closed meanwhile still delivers it then, one that was reset does not.
     */
    stall() {
      state.isStalled = true;
    },
    /** How much a stall keeps from arriving. */
    heldBytes: () => state.held.reduce((sum, { bytes }) => sum + bytes, 0),
    /** A gateway answers every request with these bytes until it is mended; nothing reaches the server. */
    intercept(answer: string) {
      state.intercepted = answer;
    },
    /** Everything comes through that much later, either way, until it is mended. */
    slow(delayMs: number) {
      state.delayMs = delayMs;
    },
    mend() {
      Object.assign(state, MENDED);
      for (const { deliver } of state.held.splice(0)) deliver();
      for (const socket of sockets) socket.resume();
    },
  };
}

function endAll(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy();
}

function mute(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.pause();
}

interface ProxyState {
  isCut: boolean;
  isMuted: boolean;
  isStalled: boolean;
  delayMs: number;
  /** What a stall keeps from arriving, in its order. */
  held: { readonly connection: Socket; readonly bytes: number; readonly deliver: () => void }[];
  intercepted: string | undefined;
  /** A prepared statement is named in its Parse message and in every Bind. */
  unanswered: { readonly statementName: string; readonly onLost: () => void } | undefined;
}

function join(client: Socket, upstream: Socket, state: ProxyState): void {
  let onLost: (() => void) | undefined;
  const [there, back] = [createLane(() => state.delayMs), createLane(() => state.delayMs)];
  const pass = (bytes: number, deliver: () => void) => {
    if (state.isStalled) state.held.push({ connection: client, bytes, deliver });
    else deliver();
  };
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  client.on('data', (chunk: Buffer) => {
    const { unanswered, intercepted } = state;
    if (intercepted !== undefined) {
      client.end(intercepted);
      return;
    }
    if (unanswered !== undefined && chunk.includes(`${unanswered.statementName}\0`)) {
      state.unanswered = undefined;
      onLost = unanswered.onLost;
    }
    there.later(() => pass(chunk.length, () => upstream.write(chunk)));
  });
  upstream.on('data', (chunk: Buffer) => {
    // Postgres speaks when the statement has been committed.
    if (onLost === undefined) {
      back.later(() => pass(chunk.length, () => client.write(chunk)));
      return;
    }
    end();
    onLost();
  });
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true);
    socket.on('error', () => {
      // A kernel that resets a connection drops what the other side has not acknowledged.
      state.held = state.held.filter(({ connection }) => connection !== client);
      end();
    });
    socket.on('close', () => pass(0, end));
  }
}
