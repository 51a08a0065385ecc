// After the last fault: everything that is open comes to its end within ninety seconds, or waits for people (architecture,
// section 6). What an endpoint refused for longer is due in minutes by its schedule, and is sent again as operations do it.
// What is too slow is waited for all the same: sources that are compared while money still moves contradict each other.
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../src/postgres/database';
import type { Cast } from './actors/actors';
import { STAYS_VISIBLE } from './actors/operator-rounds';

/** What is open; webhooks are owed, or an endpoint missed them while it was disabled. */
interface OpenCounts {
  readonly created: number;
  readonly authorized: number;
  readonly owed: number;
}

export type Settling = Awaited<ReturnType<typeof settle>>;

const READ_EVERY_MS = 1_000;
/** In all, so many times the timeout. */
const WAITED_FOR_TIMES = 10;

export async function settle(
  { database, endpoints }: Cast,
  patienceSeconds: number,
  onChange: (open: string) => void,
) {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  /** Webhooks that were sent again, since their schedule would have had them wait. */
  let replayed = 0;
  /** What was open when timeout ended; undefined when all was settled by then. */
  let late: string | undefined;
  let before = '';
  for (;;) {
    replayed += await endpoints.replayOwed(Math.max(0, patienceSeconds - elapsed()));
    replayed += await endpoints.replayMissed();
    const { created, authorized, owed } = await countOpen(database);
    const open = `${created} created, ${authorized} authorized, ${owed} webhooks`;
    if (open !== before) onChange(`open: ${open}`);
    before = open;
    const isSettled = created + authorized + owed === 0;
    const seconds = elapsed();
    if (!isSettled && seconds > patienceSeconds) late ??= open;
    if (isSettled || seconds > patienceSeconds * WAITED_FOR_TIMES) {
      return { isSettled, seconds, late, replayed };
    }
    await pause(READ_EVERY_MS);
  }
}

async function countOpen(database: Database): Promise<OpenCounts> {
  const { rows } = await database.query<OpenCounts>({
    text: `
      select (select count(*) from payment_intents where status = 'created') as created,
             (select count(*) from payment_intents
               where status = 'authorized'
                 and not (attention_reason is not null and amount_usd_cents = any ($1))) as authorized,
             (select count(*) from webhook_events where state in ('pending', 'skipped')) as owed`,
    values: [STAYS_VISIBLE],
  });
  const [open] = rows;
  if (open === undefined) throw new Error('a count answers one row');
  return open;
}
