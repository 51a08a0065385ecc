// A process of one environment on the database of another (decision 128), with the real programs,
// Postgres and Temporal.
import { randomUUID } from 'node:crypto';
import { bundleCheckout, writeCheckout } from '../../src/dev/package/checkout-bundle';
import { until } from '../../src/dev/until';
import { readEnvironment, recordEnvironment } from '../../src/postgres/service-environment';
import { connectTemporal } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import { withFolder } from '../support/brackets';
import { countOf, openTestBed, type TestBed } from '../support/builders';
import { startProgram, type Ended, type OwnProgram } from '../support/programs/own-program';
import { temporalAddress } from '../support/servers/temporal-address';
import { ensureRestoreWatch } from '../../src/temporal/starts';
import { RESTORE_WATCH_ID } from '../../workflows/messages/messages';
import { startCutProxy, type CutProxy } from './cut-proxy';

const WAIT = { timeoutMs: 40_000 };
const NAMESPACE_TRIES = 60;

let bed: TestBed;
let proxy: CutProxy;
const folder = withFolder();
const programs: OwnProgram[] = [];
beforeAll(async () => {
  writeCheckout(folder, await bundleCheckout());
});
beforeEach(async () => {
  bed = await openTestBed({ fundedUsdCents: 0 });
  proxy = await startCutProxy(bed.url);
});
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.kill()));
  await proxy.close();
  await bed.close();
});

function start(name: string, more: Readonly<Record<string, string>> = {}): OwnProgram {
  const program = startProgram(name, {
    ...{ DATABASE_URL: proxy.url, CHECKOUT_DIR: folder },
    ...more,
  });
  programs.push(program);
  return program;
}

async function ownNamespace() {
  const namespace = `other-${randomUUID()}`;
  const address = temporalAddress();
  const client = connectTemporal({ address, namespace });
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
  return { client, settings: { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } };
}

const migrateAs = (environment: string) => start('migrate', { SERVICE_ENV: environment }).ended;
const recordedHere = () => readEnvironment(bed.database);
const fundings = () => countOf(bed, 'select count(*) from ledger_transfers');

const OF_PROD =
  /^DATABASE_URL is the database of prod, and SERVICE_ENV is sandbox: .* Set DATABASE_URL .*\n$/;
const OF_ANOTHER_BASELINE =
  /^DATABASE_URL is a database that an earlier baseline .* Begin anew .*\n$/;
const OF_OTHER_WORKFLOWS =
  /^The Temporal namespace other-.* has open workflows of an earlier baseline, .* Begin anew .*\n$/;
const NOT_RECORDED =
  /^No migration has recorded which environment .* Run the migration first, .*\n$/;

function expectRejected(ended: Ended, why: RegExp): void {
  expect(ended).toEqual({ code: 2, stderr: expect.stringMatching(why) as string });
}

/** @returns the port on which it listens; empty for a worker */
async function untilReady({ log, ended }: OwnProgram): Promise<string> {
  await Promise.race([until(() => log().includes('"msg":"ready"'), WAIT), ended]);
  expect(log()).toContain('"msg":"ready"');
  return /"port":(\d+)/.exec(log())?.[1] ?? '';
}

/** Undefined when no server listens any more. */
const readinessAt = (port: string): Promise<number | undefined> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status,
    () => undefined,
  );

describe('the migration', () => {
  it('records its environment, can be repeated, and is rejected for another environment', async () => {
    await expect(migrateAs('prod')).resolves.toEqual({ code: 0, stderr: '' });
    await expect(migrateAs('prod')).resolves.toEqual({ code: 0, stderr: '' });
    expectRejected(await migrateAs('sandbox'), OF_PROD);
    expect([await recordedHere(), await fundings()]).toEqual(['prod', 0]);
  });

  it('changes no database of another baseline', async () => {
    await expect(migrateAs('prod')).resolves.toMatchObject({ code: 0 });
    await bed.database.query({ text: `update service_environment set baseline = 'another'` });
    expectRejected(await migrateAs('prod'), OF_ANOTHER_BASELINE);
    await bed.database.query({ text: 'drop table service_environment' });
    await bed.database.query({
      text: `insert into schema_migrations (name, run_on) values ('0005-keys', now())`,
    });
    expectRejected(await migrateAs('prod'), OF_ANOTHER_BASELINE);
    expect(await recordedHere()).toBeUndefined();
  });

  it('of another environment changes no schema, even if a migration is pending', async () => {
    await recordEnvironment(bed.database, 'prod');
    // The migration now looks pending. Run again, it would fail with another error.
    await bed.database.query({
      text: `delete from schema_migrations where name = '0006-reconcile'`,
    });
    expectRejected(await migrateAs('sandbox'), OF_PROD);
  });

  it('of two environments at once is rejected for one of them', async () => {
    const environments = ['sandbox', 'prod'];
    const ended = await Promise.all(environments.map(migrateAs));
    const winners = environments.filter((_, index) => ended[index]?.code === 0);
    expect(winners).toEqual([await recordedHere()]);
  });
});

describe.each(['api', 'worker'])('the %s', (name) => {
  it('does not start on the database of another environment', async () => {
    await recordEnvironment(bed.database, 'prod');
    const program = start(name);
    expectRejected(await program.ended, OF_PROD);
    expect(program.log()).not.toContain('"msg":"ready"');
  });

  it('does not start on a database without a recorded environment', async () => {
    expectRejected(await start(name).ended, NOT_RECORDED);
  });
});

it('a worker does not start on a Temporal namespace with open workflows of another baseline', async () => {
  await recordEnvironment(bed.database, 'sandbox');
  const { client, settings } = await ownNamespace();
  await ensureRestoreWatch(client, { baseline: 'another' });
  const worker = start('worker', settings);
  expectRejected(await worker.ended, OF_OTHER_WORKFLOWS);
  const { status } = await client.workflow.getHandle(RESTORE_WATCH_ID).describe();
  expect(status.name).toBe('RUNNING');
  await client.connection.close();
});

describe('Postgres is away at the start, and comes back as the database of another environment', () => {
  beforeEach(async () => {
    await recordEnvironment(bed.database, 'prod');
    proxy.cut();
  });

  it('the API never becomes ready, and exits', async () => {
    const api = start('api');
    const port = await untilReady(api);
    expect(await readinessAt(port)).toBe(503);
    proxy.mend();
    // The first readiness request opens the connection that is rejected.
    expect([503, undefined]).toContain(await readinessAt(port));
    expectRejected(await api.ended, OF_PROD);
  });

  it('the worker exits without writing anything', async () => {
    const { client, settings } = await ownNamespace();
    const worker = start('worker', settings);
    await until(() => worker.log().includes('whose Temporal namespace this is'), WAIT);
    proxy.mend();
    expectRejected(await worker.ended, OF_PROD);
    expect(await countOf(bed, 'select ticks as count from restore_watch')).toBe(0);
    await client.connection.close();
  });
});

it('a running API exits at its next connection after its database became one of another environment', async () => {
  await recordEnvironment(bed.database, 'sandbox');
  const api = start('api');
  const port = await untilReady(api);
  expect(await readinessAt(port)).toBe(200);
  await bed.database.query({ text: `update service_environment set environment = 'prod'` });
  proxy.cut();
  proxy.mend();
  // The first request may use a connection that was cut; the next request opens a new one.
  const isGone = async () => (await readinessAt(port)) === undefined;
  await until(isGone, WAIT);
  expectRejected(await api.ended, OF_PROD);
});
