// Waits until every payment has a terminal status or needs attention after the last fault
// (architecture, section 6). Replays webhooks whose schedule would take minutes, as operators do.
// Waits beyond the timeout too: sources that are compared while money still moves contradict each
// other.
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../src/postgres/database';
import type { Actors } from './actors/actors';
import type { ForPeople } from './actors/for-people';

/** `pending` also counts webhooks that were skipped while their endpoint was disabled. */
interface OpenCounts {
  readonly created: number;
  readonly authorized: number;
  readonly pending: number;
}

export type Settling = Awaited<ReturnType<typeof settle>>;

const READ_EVERY_MS = 1_000;
/** Everything has to settle by then (architecture, section 6). */
const SETTLED_WITHIN_SECONDS = 90;
/** The whole wait. */
const WAITED_FOR_SECONDS = 900;

export async function settle(
  { database, endpoints, forPeople }: Actors,
  onChange: (open: string) => void,
) {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  /** Webhooks that were replayed, because their schedule would have let them wait. */
  let replayed = 0;
  /** The open counts at the timeout; undefined if everything had settled by then. */
  let late: string | undefined;
  let before = '';
  for (;;) {
    replayed += await endpoints.replayPending(Math.max(0, SETTLED_WITHIN_SECONDS - elapsed()));
    replayed += await endpoints.replayUnsent();
    const { created, authorized, pending } = await countOpen(database, forPeople);
    const open = `${created} created, ${authorized} authorized, ${pending} webhooks`;
    if (open !== before) onChange(`open: ${open}`);
    before = open;
    const isSettled = created + authorized + pending === 0;
    const seconds = elapsed();
    if (!isSettled && seconds > SETTLED_WITHIN_SECONDS) late ??= open;
    if (isSettled || seconds > WAITED_FOR_SECONDS) {
      return { isSettled, seconds, late, replayed };
    }
    await pause(READ_EVERY_MS);
  }
}

async function countOpen(database: Database, { where }: ForPeople): Promise<OpenCounts> {
  const { rows } = await database.query<OpenCounts>({
    text: `
      select (select count(*) from payment_intents i
               where status = 'created' and not (attention_since is not null and ${where})
             ) as created,
             (select count(*) from payment_intents i
               where status = 'authorized' and not (attention_since is not null and ${where})
             ) as authorized,
             (select count(*) from webhook_events
               where state in ('pending', 'skipped')) as pending`,
  });
  const [open] = rows;
  if (open === undefined) throw new Error('a count must return one row');
  return open;
}
