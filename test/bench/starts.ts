// Whether the runs of created intents are started, which the API does after it has answered.
import { until } from '../../src/dev/until';
import type { Database } from '../../src/postgres/database';

const STARTED_WITHIN_MS = 60_000;

/**
 * Comes back when every created intent's run is started: then it is next looked at after its deadline, which is half an hour away.
 * @throws Error when that takes a minute
 */
export async function untilStarted(database: Database): Promise<void> {
  const isStarted = async () => {
    const text = `select 1 from payment_intents
                   where check_at < now() + interval '1 minute' and status = 'created' limit 1`;
    return (await database.query({ text })).rows.length === 0;
  };
  if (await until(isStarted, { timeoutMs: STARTED_WITHIN_MS })) return;
  throw new Error('runs are still not started after a minute');
}
