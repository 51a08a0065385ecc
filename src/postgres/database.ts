// The connection pool of a process.
import { Pool, types, type PoolClient, type QueryConfig, type QueryResultRow } from 'pg';
import { systemCodeOf, DomainError } from '../domain/errors';
import { CONNECTION_WAIT_MAX_MS, SILENCE_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../domain/limits';
import { chooseServer } from './servers';

/** The interface that a store needs: the pool, or one connection inside a transaction. */
export interface Queryable {
  // The caller names the row type, since only its statement decides it.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  query<Row extends QueryResultRow>(statement: QueryConfig): Promise<{ readonly rows: Row[] }>;
}

/** One dedicated connection, for temporary tables and settings, which end with their connection. */
export interface Connection extends Queryable {
  inTransaction<Result>(work: (connection: Queryable) => Promise<Result>): Promise<Result>;
}

export interface Database extends Connection {
  close(): Promise<void>;
}

interface PoolState {
  readonly used: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/** A database that lends a connection for several transactions and closes it afterwards. */
export interface LendingDatabase extends Database {
  readonly poolState: () => PoolState;
  onConnection<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>;
}

interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** The longest wait for a connection; 2 s by default. */
  readonly connectTimeoutMs?: number;
  /** Called when an idle connection has broken; the pool replaces it. */
  readonly onLostConnection: (error: Error) => void;
  /**
   * Called with each new connection before any other statement. If it throws, the connection is
   * rejected, and the caller that wanted it gets the error.
   */
  readonly admit?: (connection: Queryable) => Promise<void>;
}

/**
 * A new connection proves its password, which costs both sides milliseconds of CPU, so idle ones
 * are kept this long. Network devices on the way drop idle connections later than this.
 */
const IDLE_TIMEOUT_MS = 60_000;
/** Postgres rolls back a transaction whose process is frozen for longer: its locks end. */
const TRANSACTION_IDLE_TIMEOUT_MS = 10_000;

/** Cents and counts fit into a number exactly: the largest sum is far below 2^53. */
types.setTypeParser(types.builtins.INT8, parseSafeInteger);

export function createDatabase(options: DatabaseOptions): LendingDatabase {
  const { url, poolSize, onLostConnection, admit } = options;
  const servers = chooseServer(url);
  const pool = new Pool({
    Client: servers.Client,
    max: poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECTION_WAIT_MAX_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    idle_in_transaction_session_timeout: TRANSACTION_IDLE_TIMEOUT_MS,
    application_name: 'payment-intents',
    // The types of pg do not say so, but pg-pool waits for the promise; a test checks that it does.
    // eslint-disable-next-line @typescript-eslint/no-misused-promises
    onConnect: async (client) => {
      await servers.admit(client);
      await admit?.(client);
    },
  });
  pool.on('error', onLostConnection);
  // A connection that breaks while a caller holds it emits an event, perhaps before the caller
  // could listen. The statement that fails reports the error again, so the event may be ignored.
  pool.on('connect', (client) => {
    client.on('error', ignore);
  });
  const lend = lenderOf(pool, servers);
  return {
    query: (statement) =>
      lend((connection, close) =>
        connection.query(statement).catch((error: unknown) => {
          close();
          throw error;
        }),
      ),
    // A connection that could not roll back is closed.
    inTransaction: (work) => lend((connection, close) => transact(connection, work, close)),
    onConnection: (work) =>
      lend((connection, close) => {
        // Closing it ends its temporary tables and settings, which the next caller must not see.
        close();
        return work(connectionOf(connection));
      }),
    poolState: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  };
}

/** The rows that a statement returns. */
export async function readRows<Row extends QueryResultRow>(
  database: Queryable,
  statement: QueryConfig,
): Promise<readonly Row[]> {
  return (await database.query<Row>(statement)).rows;
}

/** The row of a statement that always returns one. @throws Error when there is none */
export async function readOne<Row extends QueryResultRow>(
  database: Queryable,
  statement: QueryConfig,
): Promise<Row> {
  const [row] = await readRows<Row>(database, statement);
  if (row === undefined) throw new Error(`no row from: ${statement.name ?? statement.text}`);
  return row;
}

/** The name of the constraint that rejected the statement, if one did. */
export function violatedConstraint(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('constraint' in error)) return undefined;
  return typeof error.constraint === 'string' ? error.constraint : undefined;
}

export function isNoSuchTable(error: unknown): boolean {
  return systemCodeOf(error) === '42P01';
}

/** Lends a connection to work that may close it, so that the next caller does not get it. */
function lenderOf(pool: Pool, servers: ReturnType<typeof chooseServer>) {
  return <Result>(work: (connection: PoolClient, close: () => void) => Promise<Result>) =>
    asUnavailable(async () => {
      const connection = await servers.connect(() => pool.connect());
      let isClosed = false;
      try {
        return await work(connection, () => {
          isClosed = true;
        });
      } finally {
        connection.release(servers.isLeft(connection) || isClosed);
      }
    });
}

function connectionOf(connection: PoolClient): Connection {
  return {
    query: (statement) => asUnavailable(() => connection.query(statement)),
    inTransaction: (steps) => asUnavailable(() => transact(connection, steps, ignore)),
  };
}

async function transact<Result>(
  connection: PoolClient,
  work: (connection: Queryable) => Promise<Result>,
  onBroken: () => void,
): Promise<Result> {
  try {
    await connection.query('begin');
    const result = await work(connection);
    await connection.query('commit');
    return result;
  } catch (error) {
    await connection.query('rollback').catch(onBroken);
    throw error;
  }
}

function ignore(): void {
  return;
}

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint beyond exact range: ${text}`);
  return value;
}

// Which failures mean that Postgres is unavailable.

/** @throws DomainError `unavailable` instead of such a failure */
async function asUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new DomainError('unavailable', { reason: 'postgres_unavailable', cause: error });
  }
}

/**
 * SQLSTATEs: 08 connection, 53 resources, 57P shutdown, 57014 timeout, 55P03 lock timeout, 25006 a
 * standby, 25P03 a transaction that was idle for too long, 40 a transaction that was rolled back
 * and may be repeated.
 */
const UNAVAILABLE_STATES = /^(08|53|57P|57014|55P03|25006|25P03|40)/;
const UNAVAILABLE_ERRNOS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** The connection is not trusted, such as an expired certificate of the server: codes of Node. */
const UNTRUSTED = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO)/;
/** pg gives these failures no code. The texts are those of pg 8.23; a test checks them. */
const UNAVAILABLE_TEXTS =
  /^(Connection terminated|timeout exceeded|Query read timeout|Client has encountered)/;

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const code = systemCodeOf(error);
  const isKnownCode =
    UNAVAILABLE_STATES.test(code) || UNAVAILABLE_ERRNOS.has(code) || UNTRUSTED.test(code);
  return isKnownCode || UNAVAILABLE_TEXTS.test(error.message);
}
