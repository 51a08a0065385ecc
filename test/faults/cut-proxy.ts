// A TCP proxy in front of Postgres or another server. Tests cut it, mute it, slow it down or let it
// lose an answer, and mend it again.
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
  prefix: undefined,
};

/** Starts a proxy for the server of the URL. Clients must not use TLS, and tests do not. */
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
    /** The URL of the database through the proxy. */
    url: url.href,
    ...faultsOf(state, sockets),
    /** Closes every connection. New ones go to another server, as after a failover. */
    moveTo(other: string) {
      target = new URL(other);
      endAll(sockets);
    },
    /**
     * The next statement of that name takes effect in Postgres, but its connection is closed before
     * the answer arrives. Resolves at that moment.
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
    /** Closes every connection, and every new one at once, until `mend`. */
    cut() {
      state.isCut = true;
      endAll(sockets);
    },
    /**
     * Delivers nothing until `mend`, without closing connections: bytes that were sent arrive late.
     */
    mute() {
      state.isMuted = true;
      mute(sockets);
    },
    /**
     * A network partition as both kernels see it: bytes that were sent stay unacknowledged until
     * `mend`. A connection that was closed meanwhile then still delivers them, a connection that
     * was reset does not.
     */
    stall() {
      state.isStalled = true;
    },
    /** Number of bytes that a stall holds back. */
    heldBytes: () => state.held.reduce((sum, { bytes }) => sum + bytes, 0),
    /**
     * Answers every request with these bytes, as a gateway, until `mend`. Nothing reaches the
     * server.
     */
    intercept(answer: string) {
      state.intercepted = answer;
    },
    /** Sends these bytes before each HTTP response of the server, as a gateway, until `mend`. */
    prefixResponses(bytes: string) {
      state.prefix = bytes;
    },
    /** Delivers everything later by this delay, in both directions, until `mend`. */
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
  /** Data that a stall holds back, in order. */
  held: { readonly connection: Socket; readonly bytes: number; readonly deliver: () => void }[];
  intercepted: string | undefined;
  /** Sent before each HTTP response. */
  prefix: string | undefined;
  /**
   * The statement name is in the Parse message and in every Bind message of a prepared statement.
   */
  unanswered: { readonly statementName: string; readonly onLost: () => void } | undefined;
}

const HTTP = Buffer.from('HTTP/');

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
    // Postgres answers only after the commit.
    if (onLost === undefined) {
      const { prefix } = state;
      const isPrefixed = prefix !== undefined && chunk.subarray(0, HTTP.length).equals(HTTP);
      const bytes = isPrefixed ? Buffer.concat([Buffer.from(prefix), chunk]) : chunk;
      back.later(() => pass(bytes.length, () => client.write(bytes)));
      return;
    }
    end();
    onLost();
  });
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true);
    socket.on('error', () => {
      // A kernel that resets a connection drops unacknowledged data.
      state.held = state.held.filter(({ connection }) => connection !== client);
      end();
    });
    socket.on('close', () => pass(0, end));
  }
}
