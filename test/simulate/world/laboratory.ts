// What all lives of a process share: a Postgres of its own, one partner, the bundle of the workflows. Between two lives every table
// is put back to what it was before the first.
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import { createPaymentActivities, createWebhookActivities } from '../../../activities';
import type { PaymentDependencies } from '../../../activities/dependencies';
import type { WebhookDependencies } from '../../../activities/webhooks';
import { createDatabase, type Database } from '../../../src/postgres/database';
import { fundHoldingAccount } from '../../../src/postgres/ledger/holding-account';
import { createSecretSeal, type SecretSeal } from '../../../src/signing/sealed-secret';
import type { JournalEntry } from '../../chaos/sources/journal';
import { ALWAYS_WATCHED } from '../../support/always-watched';
import { KEY_ENCRYPTION_KEY } from '../../support/builders';
import { startOwnPostgres, type OwnPostgres } from '../../support/servers/own-postgres';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { workflowCode } from '../../support/programs/workflow-bundle';
import { compareWithStatement } from './statement';

export interface Laboratory {
  /** Counts its statements: what was read of it is true until there is another. */
  readonly database: Database & { readonly statements: number };
  readonly partner: TestPartner;
  readonly seal: SecretSeal;
  readonly creator: ReusableVMWorkflowCreator;
  /** Sets what `service_now()` says. */
  setClock(nowMs: number): void;
  /** Sets what `log_timeline()` says. */
  setTimeline(timeline: number): void;
  /** Puts every table and the clock back to what they were before the first life. */
  clean(): Promise<void>;
  /** `payctl reconcile` over the provider's statement, ten minutes later, when all of it counts. */
  reconcile(paid: readonly JournalEntry[], nowMs: number): Promise<void>;
  /** Keeps every table as it is. */
  backUp(): Promise<void>;
  /** Puts every table back to the last backup, and keeps what that loses. */
  restore(): Promise<void>;
  /** Inserts the rows that the last restore has lost, unless the payment was created again. */
  bringBack(): Promise<void>;
  close(): Promise<void>;
}

/** When every life begins: a whole second. */
export const START_MS = Date.parse('2026-03-02T12:00:00.000Z');
const INSTANT_BYTES = 24;
export const FUNDED_USD_CENTS = 1_000_000;
/** None: for each call with a limit, Node starts a thread that watches it. */
const ISOLATE_TIMEOUT_MS = undefined as unknown as number;
/** The names that the SDK wants to know. Nothing of these is ever called. */
const ACTIVITIES = Object.keys({
  ...createPaymentActivities({} as PaymentDependencies),
  ...createWebhookActivities({} as WebhookDependencies),
});

export async function openLaboratory(): Promise<Laboratory> {
  const server = await startOwnPostgres();
  try {
    return await furnish(server);
  } catch (error) {
    await server.database.drop();
    throw error;
  }
}

async function furnish(server: OwnPostgres): Promise<Laboratory> {
  const url = `${server.database.url}?options=${encodeURIComponent(SETTINGS)}`;
  const connect = () => createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  const database = new CountingDatabase(connect());
  // Another connection, since what it does about triggers makes a connection plan all its statements anew.
  const cleaner = connect();
  const call = async (one: string) => {
    database.statements += 1;
    await cleaner.query({ name: one, text: `select ${one}` });
  };
  const seal = createSecretSeal(KEY_ENCRYPTION_KEY);
  const folder = mkdtempSync(join(tmpdir(), 'simulate-'));
  // Postgres may run as another user.
  chmodSync(folder, 0o755);
  const clockFile = join(folder, 'clock');
  const clock = openSync(clockFile, 'w');
  // Instants of one length: each takes the place of the one before.
  const setClock = (nowMs: number) => writeSync(clock, new Date(nowMs).toISOString(), 0);
  const setTimeline = (timeline: number) =>
    writeSync(clock, String(timeline).padStart(8, '0'), INSTANT_BYTES);
  setClock(START_MS);
  setTimeline(1);
  await database.query({ text: clockIn(clockFile) });
  const funding = { key: 'fund:simulated', amountUsdCents: FUNDED_USD_CENTS, actor: 'simulated' };
  await fundHoldingAccount(database, funding);
  const partner = await aPartner({ database, seal }, { name: 'simulated' });
  // Lives without a backup run no watch over restores: theirs has always ticked lately.
  await database.query({ text: ALWAYS_WATCHED });
  await database.query({ text: KEEP });
  const creator = await createWorkflows();
  return {
    ...{ database, partner, seal, creator, setClock, setTimeline },
    clean() {
      setClock(START_MS);
      setTimeline(1);
      return call('put_back_kept()');
    },
    backUp: () => call('back_up()'),
    restore: () => call('keep_lost(), put_back_backup()'),
    bringBack: () => call('bring_back_lost()'),
    reconcile: (paid, nowMs) => compareWithStatement(cleaner, setClock, { paid, nowMs }),
    async close() {
      await creator.destroy();
      await Promise.all([database.close(), cleaner.close()]);
      await server.database.drop();
      closeSync(clock);
      rmSync(folder, { recursive: true });
    },
  };
}

async function createWorkflows(): Promise<ReusableVMWorkflowCreator> {
  const code = await workflowCode();
  const creator = await ReusableVMWorkflowCreator.create(
    parseWorkflowCode(code),
    ISOLATE_TIMEOUT_MS,
    new Set(ACTIVITIES),
  );
  // It takes a stack trace of every promise in the process, for stack trace queries, of which a life has none.
  globalHandlers.uninstall();
  return creator;
}

class CountingDatabase implements Database {
  statements = 0;

  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  readonly query: Database['query'] = (statement) => {
    this.statements += 1;
    return this.database.query(statement);
  };

  readonly inTransaction: Database['inTransaction'] = (work) => {
    this.statements += 1;
    return this.database.inTransaction(work);
  };

  close() {
    return this.database.close();
  }
}

/** Tables of a few rows, and no machine that could lose its power. */
const SETTINGS = '-c plan_cache_mode=force_generic_plan -c synchronous_commit=off -c jit=off';

/** A file takes a statement's time to write and to read; a statement of its own would take as long as most others do. */
const clockIn = (file: string) => `
  create or replace function service_now() returns timestamptz language sql volatile
  as $$ select pg_read_file('${file}', 0, ${String(INSTANT_BYTES)})::timestamptz $$;
  create or replace function log_timeline() returns text language sql volatile
  as $$ select pg_read_file('${file}', ${String(INSTANT_BYTES)}, 8) $$`;

/** Triggers and constraints do not look while rows are put back, so the order of the tables does not matter. */
const KEEP = `
  create schema kept;
  create schema backup;
  create schema lost;
  do $$
  declare one text; from_kept text := ''; from_backup text := ''; to_backup text := ''; to_lost text := ''; from_lost text := '';
    copied constant text := 'delete from %1$s.%2$I; insert into %1$s.%2$I overriding system value select * from %3$s.%2$I;';
    missing constant text := 'insert into public.%1$I overriding system value select * from lost.%1$I on conflict do nothing;';
    balance constant text := 'update holding_balance b set balance_usd_cents = l.balance_usd_cents from lost.holding_balance l;';
    body constant text := 'begin set local session_replication_role = replica; %s end';
  begin
    for one in select tablename from pg_tables where schemaname = 'public' loop
      execute format('create table kept.%1$I as table public.%1$I', one);
      execute format('create table backup.%1$I as table public.%1$I', one);
      execute format('create table lost.%1$I as table public.%1$I', one);
      from_kept := from_kept || format(copied, 'public', one, 'kept');
      from_backup := from_backup || format(copied, 'public', one, 'backup');
      to_backup := to_backup || format(copied, 'backup', one, 'public');
      to_lost := to_lost || format(copied, 'lost', one, 'public');
      from_lost := from_lost || format(missing, one);
    end loop;
    execute format('create function put_back_kept() returns void language plpgsql as %L', format(body, from_kept));
    execute format('create function put_back_backup() returns void language plpgsql as %L', format(body, from_backup));
    execute format('create function back_up() returns void language plpgsql as %L', format(body, to_backup));
    execute format('create function keep_lost() returns void language plpgsql as %L', format(body, to_lost));
    from_lost := format('if exists (select from payment_intents) then return; end if; %s %s', balance, from_lost);
    execute format('create function bring_back_lost() returns void language plpgsql as %L', format(body, from_lost));
  end $$`;
