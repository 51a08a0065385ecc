// Which environment a database belongs to: recorded once, by whoever comes first, and asked over every new connection
// (decision 128).
import { ConfigError } from '../../src/config';
import { openDatabase } from '../../src/main/open-database';
import { createDatabase, violatedConstraint, type Queryable } from '../../src/postgres/database';
import { readEnvironment, recordEnvironment } from '../../src/postgres/service-environment';
import { startCutProxy } from '../faults/cut-proxy';
import { times, countOf, recogniseErrorsOfNode } from '../support/builders';
import { SILENT } from '../support/silent-log';
import { withDatabase } from '../support/brackets';

const bed = withDatabase({ isPerTest: true, fundedUsdCents: 0 });

const insert = (environment: string) =>
  bed.database
    .query({
      text: `insert into service_environment (environment, baseline) values ($1, 'a test')`,
      values: [environment],
    })
    .then(() => undefined, violatedConstraint);

describe('the environment of a database', () => {
  it('is on record from the first time, and another one changes nothing', async () => {
    await expect(readEnvironment(bed.database)).resolves.toBeUndefined();
    await expect(recordEnvironment(bed.database, 'prod')).resolves.toBe('prod');
    await expect(recordEnvironment(bed.database, 'sandbox')).resolves.toBe('prod');
    await expect(recordEnvironment(bed.database, 'prod')).resolves.toBe('prod');
    await expect(readEnvironment(bed.database)).resolves.toBe('prod');
  });

  it('of twenty who record two at once there is one, and all are told the same', async () => {
    const told = await times(20, (index) =>
      recordEnvironment(bed.database, index % 2 === 0 ? 'sandbox' : 'prod'),
    );
    expect(new Set(told)).toEqual(new Set([await readEnvironment(bed.database)]));
    expect(['sandbox', 'prod']).toContain(told[0]);
  });

  it('is not on record where no migration has run', async () => {
    await bed.database.query({ text: 'drop table service_environment' });
    await expect(readEnvironment(bed.database)).resolves.toBeUndefined();
  });

  it('is one that is known, and one only: the database refuses others by itself', async () => {
    await expect(insert('staging')).resolves.toBe('environment_is_known');
    await expect(insert('prod')).resolves.toBeUndefined();
    await expect(insert('prod')).resolves.toBe('service_environment_pkey');
    const second = bed.database.query({
      text: `insert into service_environment (is_only, environment, baseline) values (false, 'prod', 'a test')`,
    });
    await expect(second.catch(violatedConstraint)).resolves.toBe('environment_is_only');
  });
});

describe('a process', () => {
  const open = (environment: string, url = bed.url) =>
    openDatabase({ SERVICE_ENV: environment, DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }, SILENT);
  const ping = { text: 'select 1 as one' };

  it('is given the database of its own environment', async () => {
    await recordEnvironment(bed.database, 'prod');
    const opened = await open('prod');
    await expect(opened.database.query(ping)).resolves.toMatchObject({ rows: [{ one: 1 }] });
    await opened.database.close();
  });

  it('is not given that of another, nor one that is nobody’s yet', async () => {
    await expect(open('sandbox')).rejects.toThrow(/^Nobody has recorded which environment/);
    await recordEnvironment(bed.database, 'prod');
    const refused = open('sandbox');
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(/is the database of prod, and SERVICE_ENV is sandbox/);
  });

  it.each([
    ['of another baseline', `update service_environment set baseline = 'another'`],
    ['from before baselines', 'alter table service_environment drop column baseline'],
  ])('is not given one %s, though it is of its environment', async (_which, text) => {
    await recordEnvironment(bed.database, 'prod');
    await bed.database.query({ text });
    await expect(open('prod')).rejects.toThrow(/an earlier baseline of the schema .* Begin anew/);
  });

  it('that starts while Postgres is away asks whose it is before anything else when it is back', async () => {
    await recordEnvironment(bed.database, 'prod');
    const proxy = await startCutProxy(bed.url);
    proxy.cut();
    const opened = await open('sandbox', proxy.url);
    await expect(opened.database.query(ping)).rejects.toMatchObject({
      reason: 'postgres_unavailable',
    });
    proxy.mend();
    await expect(opened.database.query(ping)).rejects.toMatchObject({
      ...{ code: 'unavailable', reason: 'other_environment' },
    });
    await expect(opened.refused).rejects.toThrow(ConfigError);
    await opened.database.close();
    await proxy.close();
  });
});

// What is asked of a new connection before anything else goes over it (decision 128). Parity: pg-pool waits for the answer, which
// the types of pg do not say; a version that does not turns this red.
describe('what is asked of a new connection', () => {
  recogniseErrorsOfNode();

  const bed = withDatabase();

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
    let isRejected = true;
    const guarded = openFor(() =>
      isRejected ? Promise.reject(new Error('not here')) : Promise.resolve(),
    );
    await expect(guarded.query(WRITE)).rejects.toThrow('not here');
    const written = guarded.inTransaction((connection) => connection.query(WRITE));
    await expect(written).rejects.toThrow('not here');
    isRejected = false;
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
});
