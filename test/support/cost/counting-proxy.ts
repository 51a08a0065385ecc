// A TCP proxy in front of Postgres that counts statements and round trips in the messages of
// clients (PostgreSQL's frontend/backend protocol, "Message Formats").
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface WireCounts {
  /** Execute and Query messages: `begin` and `commit` are statements too. */
  readonly statements: number;
  /** Sync and Query messages: after each the client waits for ReadyForQuery. */
  readonly roundTrips: number;
}

export interface CountingProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Counts of all connections during the work. */
  countDuring(work: () => Promise<unknown>): Promise<WireCounts>;
  close(): Promise<void>;
}

/** Starts a proxy for the server of the URL. Clients must not use TLS, and tests do not. */
export async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const target = new URL(databaseUrl);
  const counts = { statements: 0, roundTrips: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    join(client, upstream, createReader(counts));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: withPort(databaseUrl, port),
    async countDuring(work) {
      const before = { ...counts };
      await work();
      return {
        statements: counts.statements - before.statements,
        roundTrips: counts.roundTrips - before.roundTrips,
      };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function withPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

/**
 * Counts a message before it is forwarded, so that the count is complete when the answer arrives.
 */
function join(client: Socket, upstream: Socket, read: (chunk: Buffer) => void): void {
  client.on('data', (chunk: Buffer) => {
    read(chunk);
    upstream.write(chunk);
  });
  upstream.pipe(client);
  client.on('end', () => upstream.end());
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true);
    socket.on('error', () => {
      client.destroy();
      upstream.destroy();
    });
  }
}

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

/**
 * The startup message has no type byte. Every later message begins with a letter, then its length,
 * including the length itself.
 */
function createReader(counts: { statements: number; roundTrips: number }) {
  let pending = Buffer.alloc(0);
  let typeBytes = 0;
  const takeMessage = (): string | undefined => {
    if (pending.length < typeBytes + LENGTH_BYTES) return undefined;
    const end = typeBytes + pending.readUInt32BE(typeBytes);
    if (pending.length < end) return undefined;
    const type = typeBytes === 0 ? 'startup' : String.fromCharCode(pending.readUInt8(0));
    pending = pending.subarray(end);
    typeBytes = TYPE_BYTES;
    return type;
  };
  return (chunk: Buffer): void => {
    pending = Buffer.concat([pending, chunk]);
    for (let type = takeMessage(); type !== undefined; type = takeMessage()) {
      if (type === 'Q' || type === 'E') counts.statements += 1;
      if (type === 'Q' || type === 'S') counts.roundTrips += 1;
    }
  };
}
