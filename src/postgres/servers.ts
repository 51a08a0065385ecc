// Which of several hosts new connections go to (src/domain/connection-strings.ts): one, until it
// fails or turns out to be a standby, then the next.
import { Client, type ClientBase, type ClientConfig } from 'pg';
import { connectionStrings } from '../domain/connection-strings';
import { DomainError } from '../domain/errors';

export function chooseServer(url: string) {
  const urls = connectionStrings(url);
  let current = 0;
  /** Without effect where another call has left the server already. */
  const leave = (server: number): void => {
    if (server === current) current = (current + 1) % urls.length;
  };
  return {
    /** For the pool: connects to the current host. */
    Client: class extends Client {
      constructor(config?: ClientConfig) {
        super({ ...config, connectionString: urls[current] });
      }
    },
    /** @throws DomainError `unavailable` where a standby was reached and there are other hosts */
    async admit(connection: ClientBase): Promise<void> {
      if (urls.length === 1) return;
      const { rows } = await connection.query<{ readonly isReadOnly: boolean }>(
        `select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
      );
      if (rows[0]?.isReadOnly === true) throw new DomainError('unavailable', { reason: STANDBY });
    },
    /** Runs a call. After a failure that speaks against the host, the next one is the current. */
    async leavingAfter<Result>(work: () => Promise<Result>): Promise<Result> {
      const server = current;
      try {
        return await work();
      } catch (error) {
        if (error instanceof DomainError && speaksAgainstHost(error)) leave(server);
        throw error;
      }
    },
  };
}

const STANDBY = 'postgres_standby';

/** SQLSTATEs: 08 connection, 57P shutdown, 25006 a standby. Other states are of statements. */
const STATES_OF_HOST = /^(08|57P|25006)/;
const IS_STATE = /^[\dA-Z]{5}$/;

function speaksAgainstHost({ code, reason, cause }: DomainError): boolean {
  if (code !== 'unavailable') return false;
  if (reason === STANDBY) return true;
  const state = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return !IS_STATE.test(state) || STATES_OF_HOST.test(state);
}

/**
 * The connection string of the host that accepts writes, for programs that make their own
 * connections.
 * @throws the last host's error where none does
 */
export async function writableServer(url: string): Promise<string> {
  const urls = connectionStrings(url);
  let failure: unknown = new Error('no host of the connection string accepts writes');
  for (const one of urls) {
    const client = new Client({ connectionString: one, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      await chooseServer(url).admit(client);
      return one;
    } catch (error) {
      failure = error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw failure;
}
