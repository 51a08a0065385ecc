// Closed corridors and suspended partners (decision 158). The statements that create and authorize
// read what is in force.
import { readOne, readRows, type Queryable } from '../database';

/** Why no payment of this corridor and partner may begin; null where it may. */
export const closedBy = (corridor: string, partnerId: string): string => `(
         select case when c.partner_id is null then 'corridor_closed' else 'partner_suspended' end
           from closures c
          where c.ended_at is null and (c.corridor = ${corridor} or c.partner_id = ${partnerId})
          order by c.partner_id nulls last limit 1)`;

/** The column that names what is closed, here and in the row of an intent. */
export type ClosureOf = 'corridor' | 'partner_id';

interface Closure {
  /** A corridor, or a partner. */
  readonly of: string;
  readonly actor: string;
  readonly reason: string;
}

export interface ClosureInForce extends Closure {
  readonly at: Date;
}

/** Oldest first. */
export function listClosures(database: Queryable): Promise<readonly ClosureInForce[]> {
  return readRows(database, {
    text: `select coalesce(corridor, partner_id) as of, at, actor, reason
             from closures where ended_at is null order by closure_id`,
  });
}

export const COUNTED_MAX = 10_000;

/** How many payments are authorized; counting ends at 10 000. */
export async function countGoingOn(
  database: Queryable,
  column: ClosureOf,
  of: string,
): Promise<number> {
  const { payments } = await readOne<{ readonly payments: number }>(database, {
    text: `select count(*) as payments
             from (select from payment_intents i
                    where i.check_at is not null and i.status = 'authorized' and i.${column} = $1
                    limit ${String(COUNTED_MAX)}) as found`,
    values: [of],
  });
  return payments;
}
