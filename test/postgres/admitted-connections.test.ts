// What is asked of a new connection before anything else goes over it (decision 128). Parity: pg-pool waits for the answer, which
// the types of pg do not say; a version that does not turns this red.
import { createDatabase, type Queryable } from '../../src/postgres/database';
import { startCutProxy } from '../faults/cut-proxy';
import { countOf, openTestBed, recogniseErrorsOfNode, type TestBed } from '../support/builders';

recogniseErrorsOfNode();

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(() => bed.close());

const openFor = (admit: (connection: Queryable) => Promise<void>, url = bed.url) =>
  createDatabase({ url, poolSize: 4, admit, onLostConnection: () => undefined });

const PING = { text: 'select 1 as one' };
const WRITE = {
  text: `insert into ledger_accounts (account_id, purpose) values ('refused', 'a test')`,
};
const UNAVAILABLE = { code: 'unavailable', reason: 'postgres_unavailable' };

it('a connection is asked once, and whoever wants it waits for the answer', async () => {
  const asked: unknown[] = [];
  const guarded = openFor(async (connection) => {
    asked.push((await connection.query({ text: `select 'asked' as it` })).rows);
  });
  await guarded.query(PING);
  expect(asked).toEqual([[{ it: 'asked' }]]);
  await guarded.inTransaction((connection) => connection.query(PING));
  expect(asked).toHaveLength(1);
  await Promise.all([guarded.query(PING), guarded.query(PING)]);
  expect(asked).toHaveLength(2);
  await guarded.close();
});

it('one that is refused carries nothing, and the next one is asked again', async () => {
  let isRefused = true;
  const guarded = openFor(() =>
    isRefused ? Promise.reject(new Error('not here')) : Promise.resolve(),
  );
  await expect(guarded.query(WRITE)).rejects.toThrow('not here');
  const written = guarded.inTransaction((connection) => connection.query(WRITE));
  await expect(written).rejects.toThrow('not here');
  isRefused = false;
  await guarded.query(PING);
  const text = `select count(*) from ledger_accounts where account_id = 'refused'`;
  expect(await countOf(bed, text)).toBe(0);
  await guarded.close();
});

it('one that breaks while it is asked leads to a server that is away', async () => {
  const guarded = openFor(async (connection) => {
    await connection.query({ text: 'select pg_terminate_backend(pg_backend_pid())' });
  });
  await expect(guarded.query(PING)).rejects.toMatchObject(UNAVAILABLE);
  await guarded.close();
});

it('one that falls silent when it is asked is given up like any other', async () => {
  const proxy = await startCutProxy(bed.url);
  const guarded = openFor(async (connection) => {
    proxy.mute();
    await connection.query(PING);
  }, proxy.url);
  await expect(guarded.query(PING)).rejects.toMatchObject(UNAVAILABLE);
  await guarded.close();
  await proxy.close();
});
