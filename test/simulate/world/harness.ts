// The resources that all lives of a process share: a separate Postgres, one partner, the bundle of
// the workflows. Between two lives every table is reset to its initial content.
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
import { reconcileWithStatement } from './statement';

export interface Harness {
  /** Counts its statements: data that was read is valid until the next statement. */
  readonly database: Database & { readonly statements: number };
  readonly partner: TestPartner;
  readonly seal: SecretSeal;
  readonly creator: ReusableVMWorkflowCreator;
  /** Sets the result of `service_now()`. */
  setClock(nowMs: number): void;
  /** Sets the result of `log_timeline()`. */
  setTimeline(timeline: number): void;
  /** Resets every table and the clock to their state before the first life. */
  clean(): Promise<void>;
  /**
   * Runs `payctl reconcile` over the provider's statement, ten minutes later, when every line
   * counts.
   */
  reconcile(paid: readonly JournalEntry[], nowMs: number): Promise<void>;
  /** Copies every table. */
  backUp(): Promise<void>;
  /** Restores every table from the last backup, and stores the lost rows. */
  restore(): Promise<void>;
  /** Inserts the rows that the last restore lost, unless the payment was created again. */
  bringBack(): Promise<void>;
  close(): Promise<void>;
}

/** The start time of every life: a whole second. */
export const START_MS = Date.parse('2026-03-02T12:00:00.000Z');
const INSTANT_BYTES = 24;
export const FUNDED_USD_CENTS = 1_000_000;
/** No limit, because Node starts a watchdog thread for each call with a limit. */
const ISOLATE_TIMEOUT_MS = undefined as unknown as number;
/** The SDK needs the activity names. These activities are never called. */
const ACTIVITIES = Object.keys({
  ...createPaymentActivities({} as PaymentDependencies),
  ...createWebhookActivities({} as WebhookDependencies),
});

export async function openHarness(): Promise<Harness> {
  const server = await startOwnPostgres();
  try {
    return await createHarness(server);
  } catch (error) {
    await server.database.drop();
    throw error;
  }
}

async function createHarness(server: OwnPostgres): Promise<Harness> {
  const url = `${server.database.url}?options=${encodeURIComponent(SETTINGS)}`;
  const connect = () => createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  const database = new CountingDatabase(connect());
  // A second connection, because one that disables triggers plans all its statements again.
  const cleaner = connect();
  const call = async (one: string) => {
    database.statements += 1;
    await cleaner.query({ name: one, text: `select ${one}` });
  };
  const seal = createSecretSeal(KEY_ENCRYPTION_KEY);
  const folder = mkdtempSync(join(tmpdir(), 'simulate-'));
  // Postgres may run as another system user.
  chmodSync(folder, 0o755);
  const clockFile = join(folder, 'clock');
  const clock = openSync(clockFile, 'w');
  // All instants have the same length, so each overwrites the previous one.
  const setClock = (nowMs: number) => writeSync(clock, new Date(nowMs).toISOString(), 0);
  const setTimeline = (timeline: number) =>
    writeSync(clock, String(timeline).padStart(8, '0'), INSTANT_BYTES);
  setClock(START_MS);
  setTimeline(1);
  await database.query({ text: clockIn(clockFile) });
  const funding = { key: 'fund:simulated', amountUsdCents: FUNDED_USD_CENTS, actor: 'simulated' };
  await fundHoldingAccount(database, funding);
  const partner = await aPartner({ database, seal }, { name: 'simulated' });
  // Lives without a backup run no restore watch: its last tick is set to a late date.
  await database.query({ text: ALWAYS_WATCHED });
  await database.query({ text: COPY_FUNCTIONS });
  const creator = await createWorkflows();
  return {
    ...{ database, partner, seal, creator, setClock, setTimeline },
    clean() {
      setClock(START_MS);
      setTimeline(1);
      return call('put_back_initial()');
    },
    backUp: () => call('back_up()'),
    restore: () => call('store_lost(), put_back_backup()'),
    bringBack: () => call('bring_back_lost()'),
    reconcile: (paid, nowMs) => reconcileWithStatement(cleaner, setClock, { paid, nowMs }),
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
  // The hooks take a stack trace of every promise for stack trace queries, which no life uses.
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

/** For small tables, on a machine whose power failure does not matter. */
const SETTINGS = '-c plan_cache_mode=force_generic_plan -c synchronous_commit=off -c jit=off';

/**
 * Sets the clock by a file, because a separate statement would take as long as most other
 * statements.
 */
const clockIn = (file: string) => `
  create or replace function service_now() returns timestamptz language sql volatile
  as $$ select pg_read_file('${file}', 0, ${String(INSTANT_BYTES)})::timestamptz $$;
  create or replace function log_timeline() returns text language sql volatile
  as $$ select pg_read_file('${file}', ${String(INSTANT_BYTES)}, 8) $$`;

/**
 * Triggers and constraints are off while rows are restored, so the order of the tables does not
 * matter.
 */
const COPY_FUNCTIONS = `
  create schema initial;
  create schema backup;
  create schema lost;
  do $$
  declare
    one text;
    from_initial text := ''; from_backup text := ''; to_backup text := '';
    to_lost text := ''; from_lost text := '';
    copied constant text := 'delete from %1$s.%2$I;
      insert into %1$s.%2$I overriding system value select * from %3$s.%2$I;';
    missing constant text := 'insert into public.%1$I overriding system value
      select * from lost.%1$I on conflict do nothing;';
    balance constant text := 'update holding_balance b
      set balance_usd_cents = l.balance_usd_cents from lost.holding_balance l;';
    made constant text := 'create function %I() returns void language plpgsql as %L';
    body constant text := 'begin set local session_replication_role = replica; %s end';
  begin
    for one in select tablename from pg_tables where schemaname = 'public' loop
      execute format('create table initial.%1$I as table public.%1$I', one);
      execute format('create table backup.%1$I as table public.%1$I', one);
      execute format('create table lost.%1$I as table public.%1$I', one);
      from_initial := from_initial || format(copied, 'public', one, 'initial');
      from_backup := from_backup || format(copied, 'public', one, 'backup');
      to_backup := to_backup || format(copied, 'backup', one, 'public');
      to_lost := to_lost || format(copied, 'lost', one, 'public');
      from_lost := from_lost || format(missing, one);
    end loop;
    execute format(made, 'put_back_initial', format(body, from_initial));
    execute format(made, 'put_back_backup', format(body, from_backup));
    execute format(made, 'back_up', format(body, to_backup));
    execute format(made, 'store_lost', format(body, to_lost));
    from_lost := format(
      'if exists (select from payment_intents) then return; end if; %s %s', balance, from_lost);
    execute format(made, 'bring_back_lost', format(body, from_lost));
  end $$`;
