// Which of several hosts new connections go to (src/domain/connection-strings.ts): one, until it
// fails or turns out to be a standby, then the next.
import { Client, type ClientBase, type ClientConfig, type PoolClient } from 'pg';
import { connectionStrings } from '../domain/connection-strings';
import { DomainError } from '../domain/errors';

export function chooseServer(url: string) {
  const urls = connectionStrings(url);
  let current = 0;
  /** Without effect where another call has left the server already. */
  const leave = (server: number): void => {
    if (server === current) current = (current + 1) % urls.length;
  };
  class ServerClient extends Client {
    readonly server = current;

    constructor(config?: ClientConfig) {
      super({ ...config, connectionString: urls[current] });
    }
  }
  return {
    /** For the pool: connects to the current host. */
    Client: ServerClient,
    /** @throws DomainError `unavailable` where a standby was reached and there are other hosts */
    async admit(connection: ClientBase): Promise<void> {
      if (urls.length > 1 && (await isReadOnly(connection))) {
        throw new DomainError('unavailable', { reason: 'postgres_standby' });
      }
    },
    /** Whether the connection leads to a host that was left since. */
    isLeft: (connection: ClientBase) =>
      connection instanceof ServerClient && connection.server !== current,
    /**
     * Takes a connection. Nothing was sent yet, so a host that fails is left, and the others are
     * tried at once.
     */
    async connect(take: () => Promise<PoolClient>): Promise<PoolClient> {
      for (let others = urls.length - 1; ; others -= 1) {
        const server = current;
        try {
          return await take();
        } catch (error) {
          if (others === 0 || isOfPool(error)) throw error;
          leave(server);
        }
      }
    },
  };
}

/** Every connection of the pool is in use: the text of pg-pool 3.14, which gives it no code. */
function isOfPool(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout exceeded');
}

async function isReadOnly(connection: ClientBase): Promise<boolean> {
  const { rows } = await connection.query<{ readonly isReadOnly: boolean }>(
    `select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
  );
  return rows[0]?.isReadOnly === true;
}

const WITHIN_MS = 2_000;

/**
 * The connection string of the host that accepts writes, for programs that make their own
 * connections.
 * @throws the last host's error where none does
 */
export async function writableServer(url: string): Promise<string> {
  const urls = connectionStrings(url);
  if (urls.length === 1) return url;
  let failure: unknown = new Error('no host of the connection string accepts writes');
  for (const one of urls) {
    const timeouts = { connectionTimeoutMillis: WITHIN_MS, query_timeout: WITHIN_MS };
    const client = new Client({ connectionString: one, ...timeouts });
    // The statement that fails reports it.
    client.on('error', () => undefined);
    try {
      await client.connect();
      if (!(await isReadOnly(client))) return one;
    } catch (error) {
      failure = error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw failure;
}
