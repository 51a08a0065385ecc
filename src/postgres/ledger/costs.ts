// What providers took, booked once a month (decision 157): the exact sum until the month's end,
// less what was booked before. So parts of a cent, and costs stored late, come with the next.
import type { Corridor } from '../../corridors/names';
import { readOne, readRows, type Database, type Queryable } from '../database';
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

/** Bookings of a corridor that sum rows range by range wait for each other, and for a prune. */
export async function lockBooks(connection: Queryable, corridor: Corridor): Promise<void> {
  await connection.query({
    text: 'select from ledger_accounts where account_id = $1 for update',
    values: [`due:${corridor}`],
  });
}

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

export function bookCosts(
  database: Database,
  corridor: Corridor,
  month: Month,
  actor: string,
): Promise<BookedCosts> {
  return database.inTransaction(async (connection) => {
    await lockBooks(connection, corridor);
    const sums: object[] = [];
    for await (const { after, upTo } of keyRanges(connection, 'payouts')) {
      const values = [after, upTo, corridor, month.end];
      sums.push(...(await readRows(connection, { text: STORED, values })));
    }
    const values = [corridor, month.name, actor, JSON.stringify(sums), month.end];
    return readOne(connection, { text: BOOK, values });
  });
}

const STORED = costsOf(
  'p.intent_id > $1 and p.intent_id <= $2 and i.corridor = $3 and coalesce(i.captured_at, f.closed_at) < $4',
);

/**
 * The sums $4 are rounded, and `fx` is their difference. What came back for a refund is what the
 * statement said that `returned` it, and nothing where none did. Cents leave the account.
 */
const BOOK = `
  with exact as (
    select coalesce(round(sum(fees)), 0) as fees, coalesce(round(sum(total)), 0) as total
      from (select fees, total from json_to_recordset($4) as part (fees numeric, total numeric)
             union all select fees, total from pruned_costs where corridor = $1) as parts
  ),
  kept as (
    select coalesce(round(sum(i.amount_usd_cents - f.stated_cost * 100)), 0) as kept
      from reconcile_findings f join payment_intents i using (intent_id)
     where f.kind = 'returned' and f.closed_at < $5 and f.closed_by is null
       and i.status = 'refunded' and i.corridor = $1
  ),
  accounts as (
    select concat(kind, ':', $1::text) as account, concat(other, ':', $1::text) as other, cents
      from exact, kept, lateral (values ('fees', 'settlement', fees),
             ('fx', 'settlement', total - fees), ('due', 'fx', -kept)) as a (kind, other, cents)
  ),
  booked as materialized (
    select a.account, right(t.transfer_key, 7) as month,
           t.amount_usd_cents * case t.from_account when a.account then 1 else -1 end as cents
      from accounts a
      join ledger_transfers t on t.transfer_key between concat('cost:', a.account, ':0000-00')
                                                    and concat('cost:', a.account, ':9999-99')
  ),
  moved as (
    select account, other, cents - coalesce((
             select sum(b.cents) from booked b where b.account = a.account), 0) as cents
      from accounts a where not exists (select from booked where month >= $2)
  ),
  stored as (
    insert into ledger_transfers (transfer_key, from_account, to_account, amount_usd_cents,
                                  created_at, actor)
    select concat('cost:', account, ':', $2::text), case when cents > 0 then account else other end,
           case when cents > 0 then other else account end, abs(cents), service_now(), $3
      from moved where cents <> 0
  )
  select exists (select from booked where month >= $2) as is_repeat,
         coalesce(sum(cents) filter (where account like 'fees:%'), 0)::bigint as fees_usd_cents,
         coalesce(sum(cents) filter (where account like 'fx:%'), 0)::bigint as fx_usd_cents,
         coalesce(-sum(cents) filter (where account like 'due:%'), 0)::bigint as kept_usd_cents
    from (select account, cents from moved
           union all select account, cents from booked where month = $2) as shown`;
