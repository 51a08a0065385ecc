// The environment that owns a database: the first process records it, and it is read over every new
// connection (decision 128).
import { ConfigError } from '../../src/config/config';
import type { Log } from '../../src/ports/observe';
import { openDatabase } from '../../src/main/open-database';
import { createDatabase, violatedConstraint, type Queryable } from '../../src/postgres/database';
import { readEnvironment, recordEnvironment } from '../../src/postgres/service-environment';
import { startPooler } from '../support/servers/pooler';
import { startCutProxy } from '../faults/cut-proxy';
import {
  times,
  countOf,
  INSTALLATION_KEY,
  KEY_ENCRYPTION_KEY,
  recogniseErrorsOfNode,
} from '../support/builders';
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
  it('is recorded once, and another one does not replace it', async () => {
    await expect(readEnvironment(bed.database)).resolves.toBeUndefined();
    await expect(recordEnvironment(bed.database, 'prod')).resolves.toBe('prod');
    await expect(recordEnvironment(bed.database, 'sandbox')).resolves.toBe('prod');
    await expect(recordEnvironment(bed.database, 'prod')).resolves.toBe('prod');
    await expect(readEnvironment(bed.database)).resolves.toBe('prod');
  });

  it('is the same for twenty processes that record two environments at once', async () => {
    const recorded = await times(20, (index) =>
      recordEnvironment(bed.database, index % 2 === 0 ? 'sandbox' : 'prod'),
    );
    expect(new Set(recorded)).toEqual(new Set([await readEnvironment(bed.database)]));
    expect(['sandbox', 'prod']).toContain(recorded[0]);
  });

  it('is undefined where no migration has run', async () => {
    await bed.database.query({ text: 'drop table service_environment' });
    await expect(readEnvironment(bed.database)).resolves.toBeUndefined();
  });

  it('must be known and the only one: constraints reject others', async () => {
    await expect(insert('staging')).resolves.toBe('environment_is_known');
    await expect(insert('prod')).resolves.toBeUndefined();
    await expect(insert('prod')).resolves.toBe('service_environment_pkey');
    const second = bed.database.query({
      text: `insert into service_environment (is_only, environment, baseline)
             values (false, 'prod', 'a test')`,
    });
    await expect(second.catch(violatedConstraint)).resolves.toBe('environment_is_only');
  });
});

describe('a process', () => {
  const open = (environment: string, url = bed.url, settings = {}, log: Log = SILENT) =>
    openDatabase(
      {
        ...{ SERVICE_ENV: environment, DATABASE_URL: url, DATABASE_POOL_SIZE: 2 },
        KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
        INSTALLATION_KEY: INSTALLATION_KEY.toString('base64'),
        ...settings,
      },
      log,
    );
  const ping = { text: 'select 1 as one' };

  it('opens the database of its own environment', async () => {
    await recordEnvironment(bed.database, 'prod');
    const opened = await open('prod');
    await expect(opened.database.query(ping)).resolves.toMatchObject({ rows: [{ one: 1 }] });
    await opened.database.close();
  });

  it('does not open a database of another environment, nor one without an owner', async () => {
    await expect(open('sandbox')).rejects.toThrow(/^No migration has recorded which environment/);
    await recordEnvironment(bed.database, 'prod');
    const rejected = open('sandbox');
    await expect(rejected).rejects.toThrow(ConfigError);
    await expect(rejected).rejects.toThrow(/is the database of prod, and SERVICE_ENV is sandbox/);
  });

  it.each([
    ['of another baseline', `update service_environment set baseline = 'another'`],
    ['without a baseline', 'alter table service_environment drop column baseline'],
  ])('does not open a database %s, even of its environment', async (_which, text) => {
    await recordEnvironment(bed.database, 'prod');
    await bed.database.query({ text });
    await expect(open('prod')).rejects.toThrow(/an earlier baseline of the schema .* Begin anew/);
  });

  it('does not open a database that lacks a corridor of this build', async () => {
    await recordEnvironment(bed.database, 'prod');
    await bed.database.query({
      text: `delete from ledger_accounts where account_id like '%:vn_qrpay'`,
    });
    await expect(open('prod')).rejects.toThrow(
      /^The database of DATABASE_URL has no accounts for vn_qrpay: run/,
    );
  });

  it('opens a database with a corridor that this build lacks, and says so', async () => {
    await recordEnvironment(bed.database, 'prod');
    await bed.database.query({ text: `select add_corridor('id_qris')` });
    const said: unknown[] = [];
    const warn = (about: object) => void said.push(about);
    const opened = await open('prod', bed.url, {}, { ...SILENT, warn });
    await opened.database.query(ping);
    expect(said).toEqual([{ corridors: ['id_qris'] }]);
    await opened.database.close();
  });

  it('does not use another database than its first, though it is of its environment', async () => {
    await recordEnvironment(bed.database, 'prod');
    const proxy = await startCutProxy(bed.url);
    const opened = await open('prod', proxy.url);
    await opened.database.query(ping);
    await bed.database.query({
      text: 'update service_environment set database_id = gen_random_uuid()',
    });
    proxy.cut();
    proxy.mend();
    await opened.database.query(ping).catch(() => undefined);
    await expect(opened.database.query(ping)).rejects.toMatchObject({
      reason: 'other_environment',
    });
    await expect(opened.rejected).rejects.toThrow(
      /has led to one database and now leads to another/,
    );
    await opened.database.close();
    await proxy.close();
  });

  it('does not use a connection pooler', async () => {
    await recordEnvironment(bed.database, 'prod');
    const pooler = await startPooler(bed.url);
    const rejected = open('prod', pooler.url);
    await expect(rejected).rejects.toThrow(ConfigError);
    await expect(rejected).rejects.toThrow(/leads to a connection pooler, such as PgBouncer/);
    await pooler.close();
  });

  it('that starts without Postgres reads the owner first once Postgres is back', async () => {
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
    await expect(opened.rejected).rejects.toThrow(ConfigError);
    await opened.database.close();
    await proxy.close();
  });
});

// The check of each new connection before any other statement. pg-pool waits for the
// check, although the types of pg do not say so; a version that does not wait fails these tests.
describe('the check of a new connection', () => {
  recogniseErrorsOfNode();

  const bed = withDatabase();

  const openFor = (admit: (connection: Queryable) => Promise<void>, url = bed.url) =>
    createDatabase({ url, poolSize: 4, admit, onLostConnection: () => undefined });

  const PING = { text: 'select 1 as one' };
  const WRITE = {
    text: `insert into ledger_accounts (account_id, purpose) values ('rejected', 'a test')`,
  };
  const UNAVAILABLE = { code: 'unavailable', reason: 'postgres_unavailable' };

  it('runs once per connection, and the caller waits for it', async () => {
    const checks: unknown[] = [];
    const guarded = openFor(async (connection) => {
      checks.push((await connection.query({ text: `select 'checked' as it` })).rows);
    });
    await guarded.query(PING);
    expect(checks).toEqual([[{ it: 'checked' }]]);
    await guarded.inTransaction((connection) => connection.query(PING));
    expect(checks).toHaveLength(1);
    await Promise.all([guarded.query(PING), guarded.query(PING)]);
    expect(checks).toHaveLength(2);
    await guarded.close();
  });

  it('rejects a connection before any statement, and checks the next one', async () => {
    let isRejected = true;
    const guarded = openFor(() =>
      isRejected ? Promise.reject(new Error('not here')) : Promise.resolve(),
    );
    await expect(guarded.query(WRITE)).rejects.toThrow('not here');
    const written = guarded.inTransaction((connection) => connection.query(WRITE));
    await expect(written).rejects.toThrow('not here');
    isRejected = false;
    await guarded.query(PING);
    const text = `select count(*) from ledger_accounts where account_id = 'rejected'`;
    expect(await countOf(bed, text)).toBe(0);
    await guarded.close();
  });

  it('fails as unavailable when the connection breaks during it', async () => {
    const guarded = openFor(async (connection) => {
      await connection.query({ text: 'select pg_terminate_backend(pg_backend_pid())' });
    });
    await expect(guarded.query(PING)).rejects.toMatchObject(UNAVAILABLE);
    await guarded.close();
  });

  it('fails as unavailable when the server falls silent during it', async () => {
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
