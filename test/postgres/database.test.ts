// Which failures mean "Postgres is unavailable" (decision 4). The texts and codes are those of the
// installed pg; a version with other texts fails these tests.
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { DomainError } from '../../src/domain/errors';
import { createDatabase, violatedConstraint, type Database } from '../../src/postgres/database';
import { listen } from '../../src/main/listen';
import { recogniseErrorsOfNode } from '../support/builders';
import { createTestDatabase, type TestDatabase } from '../support/database';

recogniseErrorsOfNode();

let test: TestDatabase;
let database: Database;

const open = (url: string, poolSize = 4) =>
  createDatabase({ url, poolSize, onLostConnection: () => undefined });

beforeAll(async () => {
  test = await createTestDatabase();
  database = open(test.url);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

async function expectUnavailable(work: Promise<unknown>, cause: RegExp): Promise<void> {
  const error = await failureOf(work);
  expect(error).toMatchObject({ code: 'unavailable', reason: 'postgres_unavailable' });
  expect(String(error instanceof DomainError ? error.cause : error)).toMatch(cause);
}

/** A port that no server listens on. */
async function unusedPort(): Promise<number> {
  const server = createHttpServer();
  const port = await listen(server, 0, '127.0.0.1');
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Messages of the wire protocol: authenticated, ready, and shut down by an administrator. */
const READY_AND_ENDED = Buffer.concat(
  [
    ['R', Buffer.from([0, 0, 0, 0])] as const,
    ['Z', Buffer.from('I')] as const,
    ['E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0')] as const,
  ].map(([type, body]) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  }),
);

/** A server that accepts connections and calls this function with each. */
async function withServer(
  onConnection: (socket: Socket) => unknown,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server: Server = createServer({}, onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await work(`postgres://postgres@127.0.0.1:${String(port)}/postgres`);
  } finally {
    server.close();
  }
}

/** Checks a statement and a transaction. */
async function expectAway(url: string, cause: RegExp): Promise<void> {
  const away = open(url);
  await expectUnavailable(away.query(PING), cause);
  await expectUnavailable(
    away.inTransaction((connection) => connection.query(PING)),
    cause,
  );
  await away.close();
}

const select = (text: string) => ({ text });
const PING = select('select 1 as one');
describe('unavailable', () => {
  it('is a server that is not there', async () => {
    const url = `postgres://postgres@127.0.0.1:${String(await unusedPort())}/postgres`;
    await expectAway(url, /ECONNREFUSED/);
  });

  it('is a host that cannot be resolved', async () => {
    await expectAway('postgres://postgres@nowhere.invalid:5432/postgres', /ENOTFOUND|EAI_AGAIN/);
  });

  it.each<[string, (socket: Socket) => unknown, RegExp]>([
    ['closes the connection', (socket) => socket.end(), /Connection terminated|ECONNRESET/],
    [
      'accepts the connection and sends nothing',
      (socket) => socket.on('error', () => undefined),
      /timeout|terminated/,
    ],
    [
      'ends the connection in the same bytes in which it is ready',
      (socket) => socket.once('data', () => socket.end(READY_AND_ENDED)),
      /Client has encountered|Connection terminated|terminating connection|not queryable/,
    ],
  ])('is a server that %s', async (_what, onConnection, cause) => {
    await withServer(onConnection, (url) => expectAway(url, cause));
  });

  /** Ends its own connection, and then sends this many statements. */
  const terminated = (statements: number) =>
    database.inTransaction(async (connection) => {
      const { rows } = await connection.query<{ readonly pid: number }>(
        select('select pg_backend_pid() as pid'),
      );
      await database.query({ text: 'select pg_terminate_backend($1)', values: [rows[0]?.pid] });
      if (statements > 1) await connection.query(PING).catch(() => undefined);
      await connection.query(PING);
    });

  it.each([
    ['is a backend terminated under a running statement', 1],
    ['is a connection that broke in an earlier statement of the transaction', 2],
  ])('%s', async (_what, statements) => {
    await expectUnavailable(terminated(statements), /terminat|Client has encountered|ECONNRESET/);
    await expect(database.query(PING)).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });

  it('is a statement that exceeded the statement timeout', async () => {
    await expectUnavailable(database.query(select('select pg_sleep(30)')), /statement timeout/);
  });

  it('is a pool whose connections all stay busy', async () => {
    const narrow = open(test.url, 1);
    const held = narrow.inTransaction(async (connection) => {
      await expectUnavailable(narrow.query(PING), /timeout exceeded/);
      return connection.query(PING);
    });
    await expect(held).resolves.toMatchObject({ rowCount: 1 });
    await narrow.close();
  });

  it.each([
    ['57P01', 'an administrator’s shutdown'],
    ['57P03', 'a server that is starting'],
    ['53300', 'too many connections'],
    ['55P03', 'a lock that was not available'],
    ['40P01', 'a deadlock'],
    ['40001', 'a serialization failure'],
    ['25006', 'a standby'],
    ['25P03', 'a transaction that was idle for too long'],
    ['08006', 'a connection failure'],
  ])('is SQLSTATE %s, %s', async (state) => {
    const raise = `do $$ begin raise exception 'raised' using errcode = '${state}'; end $$`;
    await expectUnavailable(database.query(select(raise)), /raised/);
  });
});

describe('not unavailable, but a bug or a rejection by the database', () => {
  it.each([
    ['a syntax error', 'selectt'],
    ['a table that is not there', 'select from nowhere'],
    ['a division by zero', 'select 1 / 0'],
    ['a constraint violation', 'insert into holding_balance default values'],
  ])('is %s', async (_name, text) => {
    const error = await failureOf(database.query(select(text)));
    expect(error).toMatchObject({ name: 'error', severity: 'ERROR' });
  });

  it('names the constraint that rejected a statement, and none for other failures', async () => {
    const duplicate = await failureOf(
      database.query(select('insert into holding_balance default values')),
    );
    expect(violatedConstraint(duplicate)).toBe('holding_balance_pkey');
    const other = await failureOf(database.query(select('selectt')));
    expect(violatedConstraint(other)).toBeUndefined();
    expect([violatedConstraint(undefined), violatedConstraint('text')]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('a transaction', () => {
  it('whose process freezes is rolled back by Postgres after ten seconds', async () => {
    const { rows } = await database.query(select('show idle_in_transaction_session_timeout'));
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '10s' }]);
  });

  const count = async () => {
    const { rows } = await database.query<{ readonly count: number }>(
      select(`select count(*) from ledger_accounts where account_id like 'test:%'`),
    );
    return rows[0]?.count;
  };
  const insert = (name: string) =>
    select(`insert into ledger_accounts (account_id, purpose) values ('test:${name}', 'a test')`);

  it('that throws is rolled back, and its connection can be used again', async () => {
    const narrow = open(test.url, 1);
    const failing = narrow.inTransaction(async (connection) => {
      await connection.query(insert('one'));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await count()).toBe(0);
    await narrow.inTransaction((connection) => connection.query(insert('two')));
    expect(await count()).toBe(1);
    await narrow.close();
  });

  it('reads bigints as numbers, and throws for those beyond the exact range', async () => {
    await expect(database.query(select('select 9007199254740991::bigint as n'))).resolves.toEqual(
      expect.objectContaining({ rows: [{ n: Number.MAX_SAFE_INTEGER }] }),
    );
    const beyond = database.query(select('select 9007199254740993::bigint as n'));
    await expect(beyond).rejects.toThrow('bigint beyond exact range');
  });
});
