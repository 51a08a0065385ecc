// Puts a snapshot of the data of Postgres back under running workers (decision 127). Only the marks
// are lost that workers replace every second: the smallest loss there is. A lost payment
// would contradict the answers of the run, so the rest of the system is frozen meanwhile.
import { until } from '../../../src/dev/until';
import { readOne, readRows, type Database } from '../../../src/postgres/database';
import { freezeProcesses } from './frozen';
import { READY_WITHIN_MS, type FaultTools, type Injector } from './injector';
import { APIS, WORKERS } from './links';

const FROZEN = [...APIS, 'temporal', 'sandbox'];
/** Longer than an attempt of a payout takes. */
const QUIET_WITHIN_MS = 20_000;
const QUIET_FOR_MS = 1_500;
/** The answer to a single look may be lost: then the worker cannot notice that it was lost. */
const LOOKS = 3;

/** Puts nothing back, and takes no effect, where more than marks would be lost. */
export const putSnapshotBack: Injector = async (_fault, tools) => {
  const { system, putBacks, slowCommits } = tools;
  const workers = pidsOf(tools, WORKERS);
  const atMs = Date.now();
  const isPutBack = await slowCommits.during(async () => {
    const thaws: (() => void)[] = [];
    const freeze = async () => {
      thaws.push(await freezeProcesses(pidsOf(tools, FROZEN)));
    };
    try {
      return await loseLooks(tools, freeze);
    } finally {
      for (const thaw of thaws) thaw();
    }
  });
  if (!isPutBack) return false;
  const putBack = { atMs, isNoticed: false };
  putBacks.push(putBack);
  const isNoticed = await until(() => hasRestoreStop(tools.database, atMs), {
    timeoutMs: READY_WITHIN_MS,
  });
  // Where all workers were killed meanwhile, none remembers a mark.
  const isRemembered = WORKERS.some((name) => workers.includes(system.pidOf(name) ?? 0));
  // Another one may have been put back meanwhile.
  putBack.isNoticed = isNoticed || !isRemembered;
  return true;
};

/** @param freeze called again and again: other faults resume and restart processes */
async function loseLooks(
  { system, database }: FaultTools,
  freeze: () => Promise<void>,
): Promise<boolean> {
  try {
    const before = await untilQuiet(database, freeze);
    const thaw = await freezeProcesses([system.pidOf('postgres') ?? 0].filter(Boolean));
    await system.snapshot.take().finally(thaw);
    if (before === undefined || !(await hasLooked(database))) return false;
    if ((await readWritten(database)) !== before) return false;
    const killed = await startOf(database);
    system.snapshot.putBackAtNextStart();
    system.kill('postgres');
    // A backend of the killed server may still answer a request.
    const isNew = async () => (await startOf(database).catch(() => killed)) !== killed;
    return await until(isNew, { timeoutMs: READY_WITHIN_MS });
  } catch {
    // Another fault has taken Postgres away.
    return false;
  }
}

async function startOf(database: Database): Promise<string> {
  const text = 'select pg_postmaster_start_time()::text as at';
  return (await readOne<{ readonly at: string }>(database, { text })).at;
}

/** @returns what was written, once nothing more is; undefined if it does not end */
async function untilQuiet(
  database: Database,
  freeze: () => Promise<void>,
): Promise<string | undefined> {
  let last = '';
  const isQuiet = async () => {
    const before = last;
    await freeze();
    last = await readWritten(database);
    return last === before;
  };
  const bounds = { timeoutMs: QUIET_WITHIN_MS, everyMs: QUIET_FOR_MS };
  return (await until(isQuiet, bounds)) ? last : undefined;
}

/** Without what a worker writes for itself: marks, leases, attempts of webhooks. */
async function readWritten(database: Database): Promise<string> {
  const { written } = await readOne<{ readonly written: string }>(database, { text: WRITTEN });
  return written;
}

const COUNTED = [
  ...['payment_intents', 'intent_transitions', 'ledger_transfers', 'webhook_events'],
  ...['used_tokens', 'request_nonces', 'operator_actions'],
  'pending_rechecks',
];
const WHOLE = ['attention', 'payouts', 'payout_stops', 'restore_watch'];
const WRITTEN = `select concat_ws(' ', ${[
  ...COUNTED.map((table) => `(select count(*) from ${table})`),
  ...WHOLE.map(
    (table) => `(select md5(string_agg(t::text, ' ' order by t::text)) from ${table} t)`,
  ),
].join(', ')}) as written`;

/** Whether a worker has replaced its mark several times since the snapshot. */
function hasLooked(database: Database): Promise<boolean> {
  const seen = new Map<string, Set<string>>();
  const isEnough = async () => {
    const text = 'select worker_id, mark from worker_marks';
    // Another fault may take Postgres away for some seconds, and loses nothing.
    const read = readRows<{ worker_id: string; mark: string }>(database, { text });
    for (const row of await read.catch(() => [])) {
      const marks = seen.get(row.worker_id) ?? new Set();
      seen.set(row.worker_id, marks.add(row.mark));
    }
    return [...seen.values()].some(({ size }) => size > LOOKS);
  };
  return until(isEnough, { timeoutMs: QUIET_WITHIN_MS, everyMs: 100 });
}

async function hasRestoreStop(database: Database, sinceMs: number): Promise<boolean> {
  const text = `select from payout_stops where kind = 'restore' and at >= $1`;
  const stops = readRows(database, { text, values: [new Date(sinceMs)] });
  return (await stops.catch(() => [])).length > 0;
}

function pidsOf({ system }: FaultTools, names: readonly string[]): readonly number[] {
  return names.map((name) => system.pidOf(name)).filter((pid) => pid !== undefined);
}
