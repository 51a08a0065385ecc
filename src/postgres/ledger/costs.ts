// What providers took, booked once a month (decision 157): the exact sum until the month's end,
// less what was booked before. So parts of a cent, and costs stored late, come with the next.
import type { Corridor } from '../../corridors/names';
import { readOne, readRows, type Queryable } from '../database';
import { decide } from '../approvals/decide';
import { keyRanges } from './snapshot';

/**
 * In exact cents, by corridor: what the payouts cost beyond their amounts, and the fees in it. Of a
 * payment that failed because its money came back: what did not come back.
 */
export const costsOf = (which: string): string => `
  select i.corridor,
         sum(p.cost_debited * 100 - coalesce(f.stated_cost * 100, i.amount_usd_cents)) as total,
         sum(case i.status when 'failed' then 0 else coalesce(p.cost_fee, 0) * 100 end) as fees
    from payouts p join payment_intents i on i.intent_id = p.intent_id
    left join reconcile_findings f on f.intent_id = i.intent_id and i.status = 'failed'
                                  and f.kind = 'returned' and f.closed_at is not null
                                  and f.closed_by is null
   where (i.status in ('captured', 'refunded') or f.stated_cost is not null)
     and p.cost_debited is not null and ${which}
   group by i.corridor`;

export interface Month {
  readonly name: string;
  readonly end: Date;
}

interface BookedCosts {
  /** An earlier call has booked this month or a later one, and this one changed nothing. */
  readonly is_repeat: boolean;
  /** What the provider took: below zero if it took less than the payments' amounts and the fees. */
  readonly fees_usd_cents: number;
  readonly fx_usd_cents: number;
  /** What it kept of money that came back: below zero if more came back than was refunded. */
  readonly kept_usd_cents: number;
}

/** Books a month, once; later months close earlier ones. @throws ApprovalRequired */
export async function bookCosts(
  database: Queryable,
  corridor: Corridor,
  month: Month,
  actor: string,
): Promise<BookedCosts> {
  const { name: period, end } = month;
  const carried = await readOne<{ readonly costs: object }>(database, {
    text: 'select carried_costs($1) as costs',
    values: [corridor],
  });
  const parts: object[] = [];
  for await (const { after, upTo } of keyRanges(database, 'payouts')) {
    const values = [after, upTo, corridor, end];
    parts.push(...(await readRows(database, { text: STORED, values })));
  }
  const sums = await readOne(database, { text: SUMS, values: [JSON.stringify(parts)] });
  const given = { corridor, period, sums, carried: carried.costs };
  const done = await decide(database, { verb: 'accounts book', given, actor });
  const { is_booked, ...shown } = await readOne<ShownCosts>(database, {
    text: SHOWN,
    values: [corridor, period],
  });
  return { is_repeat: is_booked && done === null, ...shown };
}

type ShownCosts = Omit<BookedCosts, 'is_repeat'> & { readonly is_booked: boolean };

const STORED = costsOf(
  'p.intent_id > $1 and p.intent_id <= $2 and i.corridor = $3 and coalesce(i.captured_at, f.closed_at) < $4',
);

/** As text: exact. */
const SUMS = `
  select coalesce(sum(fees), 0)::text as fees, coalesce(sum(total), 0)::text as total
    from json_to_recordset($1) as part (fees numeric, total numeric)`;

const SHOWN = `
  select coalesce(sum(cents) filter (where account like 'fees:%'), 0)::bigint as fees_usd_cents,
         coalesce(sum(cents) filter (where account like 'fx:%'), 0)::bigint as fx_usd_cents,
         coalesce(-sum(cents) filter (where account like 'due:%'), 0)::bigint as kept_usd_cents,
         exists (select from booked_costs($1) where month >= $2) as is_booked
    from booked_costs($1) where month = $2`;
