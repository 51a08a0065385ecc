// Faults of Postgres alone: a full or stalled disk, commits that wait for a standby, a migration.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../src/dev/until';
import type { Database } from '../../../src/postgres/database';
import { isDone, READY_WITHIN_MS, type FaultTools, type Injector } from './injector';
import type { System } from '../system';

/** Time for Postgres to recover before the harness restarts it. */
const RECOVERED_WITHIN_MS = 4_000;

/**
 * Recovery fails while the disk is full, and the postmaster then usually exits. Sometimes it stays,
 * rejects connections and does not try again. The harness then restarts it, as operators would.
 */
export async function reviveDatabase(system: System, database: Database): Promise<void> {
  const answers = () => isDone(database.query({ text: 'select 1' }));
  if (await until(answers, { timeoutMs: RECOVERED_WITHIN_MS, everyMs: 200 })) return;
  system.kill('postgres');
  await until(answers, { timeoutMs: READY_WITHIN_MS, everyMs: 200 });
}

export const harmDisk: Injector = async ({ detail, lastsMs }, tools) => {
  const { disk } = tools.system;
  if (disk.whyNot !== undefined) return false;
  await (detail === 'full' ? fillDisk(lastsMs, tools) : stallDisk(lastsMs, tools));
  return true;
};

async function fillDisk(lastsMs: number, { system, database }: FaultTools): Promise<void> {
  await system.disk.fill();
  // The next log segment does not fit: Postgres panics, and cannot recover before the disk has room
  // again.
  await database.query({ text: 'select pg_switch_wal()' }).catch(() => undefined);
  await pause(lastsMs);
  await system.disk.free();
  await reviveDatabase(system, database);
}

/** No fsync returns, so no commit does. Postgres still answers reads from memory. */
async function stallDisk(lastsMs: number, { system, slowCommits }: FaultTools): Promise<void> {
  await slowCommits.during(() => system.disk.stall(lastsMs));
}

/** Each commit is written and waits, invisible to others, for a standby that does not exist. */
export const stallCommits: Injector = ({ lastsMs }, { database, slowCommits }) =>
  slowCommits.during(async () => {
    const isStalled = await isDone(
      setStandby(database, "set synchronous_standby_names = 'missing'"),
    );
    await pause(lastsMs);
    await releaseCommits(database);
    return isStalled;
  });

export async function releaseCommits(database: Database): Promise<void> {
  const release = () => isDone(setStandby(database, 'reset synchronous_standby_names'));
  await until(release, { timeoutMs: READY_WITHIN_MS });
}

async function setStandby(database: Database, change: string): Promise<void> {
  await database.query({ text: `alter system ${change}` });
  await database.query({ text: 'select pg_reload_conf()' });
}

/**
 * Migrates a table beside running code, as a deploy does: adds a column with a default and an index
 * in one transaction, which fails if it has no lock within 2 s. Drops both again.
 */
export const migrateTable: Injector = async ({ detail: table, lastsMs }, { database }) => {
  const isMigrated = await isDone(
    migrate(database, [
      `alter table ${table} add column chaos_note text not null default ''`,
      `create index ${table}_by_chaos_note on ${table} (chaos_note)`,
    ]),
  );
  await pause(lastsMs);
  const undo = () =>
    isDone(migrate(database, [`alter table ${table} drop column if exists chaos_note`]));
  await until(undo, { timeoutMs: READY_WITHIN_MS });
  return isMigrated;
};

function migrate(database: Database, changes: readonly string[]): Promise<void> {
  return database.inTransaction(async (connection) => {
    await connection.query({ text: "set local lock_timeout = '2s'" });
    for (const text of changes) await connection.query({ text });
  });
}
