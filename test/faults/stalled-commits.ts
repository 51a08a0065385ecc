// A separate Postgres whose commits can stall, as with a missing standby, and whose backends can be
// stopped. The API is real; the runner of workflows never answers.
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { until } from '../../src/dev/until';
import { systemCodeOf } from '../../src/domain/errors';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { createDatabase, type Database } from '../../src/postgres/database';
import { createMemoryKeySets, startApp } from '../support/app';
import { aTokenUse, move, openTestBed } from '../support/builders';
import { startOwnPostgres } from '../support/servers/own-postgres';
import { followClock } from '../support/clock';
import { aPartner } from '../support/payments/partner';
import { createLatch } from './live/latch';

export type StallableWorld = Awaited<ReturnType<typeof openStallableWorld>>;

const WAIT = { timeoutMs: 10_000 };

export async function openStallableWorld() {
  const postgres = await startOwnPostgres();
  const bed = await openTestBed({ on: postgres.database });
  await followClock(bed.database);
  /** Its commits never stall. */
  const admin = createDatabase({
    url: `${bed.url}?options=${encodeURIComponent('-c synchronous_commit=local')}`,
    poolSize: 4,
    onLostConnection: () => undefined,
  });
  const untimed = await openUntimed(bed.url);
  const partner = await aPartner(bed);
  const app = await startApp(bed, { keySets: createMemoryKeySets([partner]) });
  app.mode = 'no_answer';
  return {
    ...{ bed, app, partner, admin },
    /** One connection without statement timeout. */
    untimed,
    async setNow(instant: Date) {
      bed.clock.turnTo(instant);
      await admin.query({ text: 'update test_clock set at = $1', values: [instant] });
    },
    /** Every commit waits from now on for a standby that does not exist. */
    stallCommits: () => setStandbyNames(admin, 'missing', bed.database),
    releaseCommits: () => setStandbyNames(admin, ''),
    /**
     * Resolves when the commit of the authorize waits. The caller times out long before the
     * backend.
     */
    async stalledAuthorize({ intentId }: PaymentIntent) {
      const token = aTokenUse(partner);
      const ended = move(bed, intentId, 'authorize', { actor: 'payer', token }).catch(
        () => undefined,
      );
      return { pid: await backendIn(admin, 'SyncRep'), ended };
    },
    /** Locks the row without a change; the result releases the lock. */
    lock: (intent: PaymentIntent) => lockRow(admin, intent),
    async close() {
      await app.close();
      await Promise.all([admin.close(), untimed.close()]);
      await bed.close();
    },
  };
}

async function openUntimed(connectionString: string): Promise<Database> {
  const client = new Client({ connectionString });
  await client.connect();
  return {
    query: (statement) => client.query(statement),
    inTransaction: () => Promise.reject(new Error('this connection supports no transactions')),
    close: () => client.end(),
  };
}

/** More than a pool has connections. */
const CONNECTIONS = 16;

/**
 * Resolves when the setting is in force on the connections of `of`. A backend reads its settings
 * again before a statement, once the server's signal has reached it.
 */
async function setStandbyNames(admin: Database, names: string, of = admin): Promise<void> {
  await admin.query({ text: `alter system set synchronous_standby_names = '${names}'` });
  await admin.query({ text: 'select pg_reload_conf()' });
  const read = async () => {
    const { rows } = await of.query<{ readonly names: string }>({
      text: `select current_setting('synchronous_standby_names') as names`,
    });
    return rows[0]?.names;
  };
  const isInForce = async () => {
    const all = await Promise.all(Array.from({ length: CONNECTIONS }, read));
    return all.every((found) => found === names);
  };
  if (!(await until(isInForce, WAIT))) throw new Error('the setting did not come into force');
}

/** Finds the backend that waits for this event. */
export async function backendIn(admin: Database, waitEvent: string): Promise<number> {
  let found: number | undefined;
  const isThere = async () => {
    const { rows } = await admin.query<{ readonly pid: number }>({
      text: `select pid from pg_stat_activity
              where wait_event = $1 and datname = current_database()`,
      values: [waitEvent],
    });
    found = rows[0]?.pid;
    return found !== undefined;
  };
  await until(isThere, WAIT);
  if (found === undefined) throw new Error(`no backend waits for ${waitEvent}`);
  return found;
}

async function lockRow(
  database: Database,
  { intentId }: PaymentIntent,
): Promise<() => Promise<void>> {
  const [locked, mayEnd] = [createLatch(), createLatch()];
  const ended = database.inTransaction(async (connection) => {
    const text = 'select from payment_intents where intent_id = $1 for no key update';
    await connection.query({ text, values: [intentId] });
    locked.open();
    await mayEnd.isOpen;
  });
  await locked.isOpen;
  return async () => {
    mayEnd.open();
    await ended;
  };
}

/**
 * Resolves when the process has stopped. Always thaw it: a server with a stopped backend does not
 * exit.
 */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const state = () => readFileSync(`/proc/${String(pid)}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
  if (!(await until(() => state() === 'T', WAIT))) throw new Error(`${pid} was not stopped`);
}

/** Does nothing to a backend that has ended since it was thawed. */
export function thaw(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    if (systemCodeOf(error) !== 'ESRCH') throw error;
  }
}
