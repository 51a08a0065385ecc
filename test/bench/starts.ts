// Whether the runs of created intents are started, which the API does after it has answered.
import { until } from '../../src/dev/until';
import type { Database } from '../../src/postgres/database';

const STARTED_WITHIN_MS = 60_000;
/** The API tries a start for five seconds, and keeps no more of them waiting than it starts in the rest. */
const LEFT_AFTER_MS = 30_000;

/**
 * Comes back when every created intent's run is started: then it is next looked at after its deadline, which is half an hour away.
 * @throws Error when that takes a minute
 */
export async function untilStarted(database: Database): Promise<void> {
  if (await areStarted(database, STARTED_WITHIN_MS)) return;
  throw new Error('runs are still not started after a minute');
}

/**
 * The same where no worker runs, whose reconciler starts what the API gave up.
 * @returns how many were given up; they are not waited for again
 */
export async function startedOrLeft(database: Database): Promise<number> {
  if (await areStarted(database, LEFT_AFTER_MS)) return 0;
  const text = `update payment_intents set check_at = expires_at where ${UNSTARTED} returning 1`;
  return (await database.query({ text })).rows.length;
}

const UNSTARTED = `check_at < now() + interval '1 minute' and status = 'created'`;

function areStarted(database: Database, timeoutMs: number): Promise<boolean> {
  const text = `select 1 from payment_intents where ${UNSTARTED} limit 1`;
  return until(async () => (await database.query({ text })).rows.length === 0, { timeoutMs });
}
