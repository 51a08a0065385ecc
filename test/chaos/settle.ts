// After the last fault: everything that is open comes to its end within ninety seconds, or waits for people (architecture,
// section 6). What an endpoint refused for longer is due in minutes by its schedule, and is sent again as operations do it.
// What is too slow is waited for all the same: sources that are compared while money still moves contradict each other.
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../src/postgres/database';
import type { EndpointDesk } from './endpoint-desk';
import { STAYS_VISIBLE } from './operator-rounds';

export interface Settling {
  /** Nothing is open any more that does not wait for people. */
  readonly isSettled: boolean;
  readonly seconds: number;
  /** What was open when patience ended; undefined when all was settled by then. */
  readonly late: OpenCounts | undefined;
  /** Webhooks that were sent again, since their schedule would have had them wait. */
  readonly replayed: number;
}

export interface OpenCounts {
  readonly created: number;
  readonly authorized: number;
  /** Webhooks that are owed, or that an endpoint missed while it was disabled. */
  readonly owed: number;
}

interface Options {
  readonly database: Database;
  readonly endpoints: EndpointDesk;
  readonly patienceSeconds: number;
  readonly onLook: (open: OpenCounts) => void;
}

const LOOK_EVERY_MS = 1_000;
/** In all, so many times the patience. */
const WAITED_FOR_TIMES = 10;

export async function settle({
  database,
  endpoints,
  patienceSeconds,
  onLook,
}: Options): Promise<Settling> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  let replayed = 0;
  let late: OpenCounts | undefined;
  for (;;) {
    replayed += await endpoints.replayOwed(Math.max(0, patienceSeconds - seconds()));
    replayed += await endpoints.replayMissed();
    const open = await countOpen(database);
    onLook(open);
    const isSettled = open.created + open.authorized + open.owed === 0;
    if (!isSettled && seconds() > patienceSeconds) late ??= open;
    if (isSettled || seconds() > patienceSeconds * WAITED_FOR_TIMES) {
      return { isSettled, seconds: seconds(), late, replayed };
    }
    await pause(LOOK_EVERY_MS);
  }
}

async function countOpen(database: Database): Promise<OpenCounts> {
  const { rows } = await database.query<OpenCounts>({
    text: `
      select (select count(*) from payment_intents where status = 'created') as created,
             (select count(*) from payment_intents
               where status = 'authorized'
                 and not (attention_reason is not null and amount_usd_cents = any ($1))) as authorized,
             (select count(*) from webhook_events where state in ('owed', 'missed')) as owed`,
    values: [STAYS_VISIBLE],
  });
  const [open] = rows;
  if (open === undefined) throw new Error('a count answers one row');
  return open;
}
