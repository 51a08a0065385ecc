// What strikes Postgres alone: a disk that is full or stalls, commits that wait for a standby, a migration.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../src/dev/until';
import type { Database } from '../../../src/postgres/database';
import { isDone, READY_WITHIN_MS, type FaultTools, type Strike } from './strike';
import type { System } from '../system';

/** How long Postgres may take to recover before it is started anew. */
const RECOVERED_WITHIN_MS = 4_000;

/**
 * Its recovery fails while the disk is full, and then its postmaster ends, mostly: now and then it stays, takes no
 * connections and starts no second recovery. Operations would restart it, and so is done here.
 */
export async function reviveDatabase(system: System, database: Database): Promise<void> {
  const answers = () => isDone(database.query({ text: 'select 1' }));
  if (await until(answers, { timeoutMs: RECOVERED_WITHIN_MS, everyMs: 200 })) return;
  system.kill('postgres');
  await until(answers, { timeoutMs: READY_WITHIN_MS, everyMs: 200 });
}

export const harmDisk: Strike = async ({ detail, lastsMs }, tools) => {
  const { disk } = tools.system;
  if (disk.whyNot !== undefined) return false;
  await (detail === 'full' ? fillDisk(lastsMs, tools) : stallDisk(lastsMs, tools));
  return true;
};

async function fillDisk(lastsMs: number, { system, database }: FaultTools): Promise<void> {
  await system.disk.fill();
  // The next segment of its log does not fit: Postgres panics, and cannot recover before there is room again.
  await database.query({ text: 'select pg_switch_wal()' }).catch(() => undefined);
  await pause(lastsMs);
  await system.disk.free();
  await reviveDatabase(system, database);
}

/** No fsync ends, so no commit does; what Postgres has in memory it answers. */
async function stallDisk(lastsMs: number, { system, slowCommits }: FaultTools): Promise<void> {
  await slowCommits.during(async () => {
    await system.disk.stall();
    await pause(lastsMs);
    await system.disk.resume();
  });
}

/** Each commit is written and waits, seen by nobody, for a standby that does not exist. */
export const stallCommits: Strike = ({ lastsMs }, { database, slowCommits }) =>
  slowCommits.during(async () => {
    const isStalled = await isDone(
      setStandby(database, "set synchronous_standby_names = 'nobody'"),
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
 * As a deploy does it beside the code that runs: a column with a default and an index, in one transaction that gives up
 * after 2 s without its locks. Both are taken away again, as by the next.
 */
export const migrateTable: Strike = async ({ detail: table, lastsMs }, { database }) => {
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
