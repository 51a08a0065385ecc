// Port payout-stops over Postgres, and what operations see and end of it. The attempt itself looks at the table (payout-journal.ts).
import { WATCH_ACTOR } from '../domain/restore';
import type { PayoutStopping, PayoutStops } from '../ports/payout-stops';
import type { Queryable } from './database';

/** The predicate of a statement: whether a stop of all payouts is in force (decision 127). */
export const ARE_PAYOUTS_STOPPED = 'exists (select from payout_stops where ended_at is null)';

export type { PayoutStopping };

export interface PayoutStop {
  readonly at: Date;
  readonly actor: string;
  readonly reason: string;
  /** Whether it was made because a database was put back. */
  readonly is_for_restore: boolean;
  readonly ended_at: Date | null;
  readonly ended_by: string | null;
  readonly ended_reason: string | null;
}

/** Of the watch's own stop the column says nothing. */
const IS_FOR_RESTORE = `(is_for_restore or actor = '${WATCH_ACTOR}')`;
const COLUMNS = `at, actor, reason, ${IS_FOR_RESTORE} as is_for_restore, ended_at, ended_by, ended_reason`;

export function createPayoutStops(database: Queryable): PayoutStops {
  return {
    async areInForce() {
      const { rows } = await database.query<{ readonly are_in_force: boolean }>({
        name: 'payout-stops-in-force',
        text: `select ${ARE_PAYOUTS_STOPPED} as are_in_force`,
      });
      return rows[0]?.are_in_force === true;
    },

    async stop({ actor, reason, isForRestore }) {
      const { rows } = await database.query({
        text: isForRestore && actor !== WATCH_ACTOR ? STOP_FOR_RESTORE : STOP,
        values: [actor, reason],
      });
      return rows.length === 1;
    },
  };
}

/** The watch's too: it has to hold also in a Postgres that went back to before there was the column, and its actor says enough. */
const STOP = `
  insert into payout_stops (actor, reason) values ($1, $2)
      on conflict (actor, reason) where ended_at is null do nothing
  returning stop_id`;
const STOP_FOR_RESTORE = `
  insert into payout_stops (actor, reason, is_for_restore) values ($1, $2, true)
      on conflict (actor, reason) where ended_at is null
      do update set is_for_restore = true where not payout_stops.is_for_restore
  returning stop_id`;

export interface Allowance {
  readonly actor: string;
  readonly reason: string;
  /** Whether a stop for a restore is ended too: only once people have compared. */
  readonly isAfterRestore: boolean;
}

/** Ends every stop that is in force, and answers those; none while one is for a restore that nobody has compared. */
export async function allowPayouts(
  database: Queryable,
  { actor, reason, isAfterRestore }: Allowance,
): Promise<readonly PayoutStop[]> {
  const { rows } = await database.query<PayoutStop>({
    text: `update payout_stops set ended_at = service_now(), ended_by = $1, ended_reason = $2
            where ended_at is null
              and ($3 or (not ${IS_FOR_RESTORE}
                          and not exists (select from payout_stops where ended_at is null and ${IS_FOR_RESTORE})))
           returning ${COLUMNS}`,
    values: [actor, reason, isAfterRestore],
  });
  return rows;
}

const LISTED_AT_MOST = 50;

/** Those in force, and of all others the newest, newest first. */
export async function listPayoutStops(database: Queryable): Promise<readonly PayoutStop[]> {
  const { rows } = await database.query<PayoutStop>({
    text: `select ${COLUMNS} from payout_stops order by (ended_at is null) desc, stop_id desc limit ${LISTED_AT_MOST}`,
  });
  return rows;
}
