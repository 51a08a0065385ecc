// Puts money into the holding account: one transfer from `funding`, spread evenly over the balance slots.
import type { Queryable } from './database';

interface Funding {
  /** Makes it happen once, such as `fund:2026-11-21-wire-4711`. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly actor: string;
}

/** True when this call moved the money, false when the key had moved it before. */
export async function fundHolding(database: Queryable, funding: Funding): Promise<boolean> {
  const { rows } = await database.query({
    text: `
      with transfer as (
        insert into ledger_transfers (transfer_key, from_account, to_account, amount_usd_cents, created_at, actor)
        values ($1, 'funding', 'holding', $2::bigint, service_now(), $3)
            on conflict (transfer_key) do nothing
        returning transfer_key
      ),
      -- In the order in which debits lock them, so that neither waits for the other in a ring.
      locked as materialized (
        select slot from holding_slots where exists (select from transfer) order by slot for update
      )
      update holding_slots s
         set balance_usd_cents = s.balance_usd_cents + $2::bigint / 16
                                 + case when s.slot < $2::bigint % 16 then 1 else 0 end
        from locked
       where locked.slot = s.slot
      returning s.slot`,
    values: [funding.key, funding.amountUsdCents, funding.actor],
  });
  return rows.length > 0;
}
