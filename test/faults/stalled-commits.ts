// A Postgres of one test's own whose commits can be made to stall, as behind a standby that is gone, and whose backends can be
// stopped. The API over it is real, and orchestration says nothing.
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { until } from '../../src/dev/until';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { createDatabase, type Database } from '../../src/postgres/database';
import { createMemoryKeySets, startApp } from '../support/app';
import { aTokenUse, move, openTestBed } from '../support/builders';
import { startOwnPostgres } from '../support/servers/own-postgres';
import { followClock } from '../support/clock';
import { aPartner } from '../support/payments/partner';
import { createGate } from './live/gates';

export type StallableWorld = Awaited<ReturnType<typeof openStallableWorld>>;

const PATIENCE = { timeoutMs: 10_000 };

export async function openStallableWorld() {
  const postgres = await startOwnPostgres();
  const bed = await openTestBed({ on: postgres.database });
  await followClock(bed.database);
  /** Its own commits never stall. */
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
    /** One connection, whose statements no timer ends. */
    untimed,
    async setNow(instant: Date) {
      bed.clock.turnTo(instant);
      await admin.query({ text: 'update test_clock set at = $1', values: [instant] });
    },
    /** From now on every commit waits for a standby that does not exist. */
    stallCommits: () => setStandbyNames(admin, 'nobody'),
    releaseCommits: () => setStandbyNames(admin, ''),
    /** Comes back when the commit of the intent's authorization waits; the caller gives up long before the backend does. */
    async stalledAuthorize({ intentId }: PaymentIntent) {
      const token = aTokenUse(partner);
      const ended = move(bed, intentId, 'authorize', { actor: 'payer', token }).catch(
        () => undefined,
      );
      return { pid: await backendIn(admin, 'SyncRep'), ended };
    },
    /** Holds the row's lock until it is let go, without changing anything. */
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
    inTransaction: () => Promise.reject(new Error('nothing here is a transaction of several')),
    close: () => client.end(),
  };
}

/** Every backend goes by it when this comes back: each reads its settings anew before its next statement. */
async function setStandbyNames(admin: Database, names: string): Promise<void> {
  await admin.query({ text: `alter system set synchronous_standby_names = '${names}'` });
  await admin.query({ text: 'select pg_reload_conf()' });
  const isInForce = async () => {
    const { rows } = await admin.query<{ readonly names: string }>({
      text: `select current_setting('synchronous_standby_names') as names`,
    });
    return rows[0]?.names === names;
  };
  if (!(await until(isInForce, PATIENCE))) throw new Error('the setting does not come into force');
}

/** The one backend that waits for it. */
export async function backendIn(admin: Database, waitEvent: string): Promise<number> {
  let found: number | undefined;
  const isThere = async () => {
    const { rows } = await admin.query<{ readonly pid: number }>({
      text: `select pid from pg_stat_activity where wait_event = $1 and datname = current_database()`,
      values: [waitEvent],
    });
    found = rows[0]?.pid;
    return found !== undefined;
  };
  await until(isThere, PATIENCE);
  if (found === undefined) throw new Error(`no backend waits for ${waitEvent}`);
  return found;
}

async function lockRow(
  database: Database,
  { intentId }: PaymentIntent,
): Promise<() => Promise<void>> {
  const [locked, mayEnd] = [createGate(), createGate()];
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

/** Comes back when the process has stopped. Always thaw it: a server with a stopped backend does not end. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const state = () => readFileSync(`/proc/${String(pid)}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
  if (!(await until(() => state() === 'T', PATIENCE))) throw new Error(`${pid} was not stopped`);
}

export function thaw(pid: number): void {
  process.kill(pid, 'SIGCONT');
}
