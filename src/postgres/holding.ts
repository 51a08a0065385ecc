// The holding account as operations see it: money put in, and what is left. Debits have funds-account.ts.
import type { Queryable } from './database';

interface Funding {
  /** Makes it happen once, such as `fund:2026-11-21-wire-4711`. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly actor: string;
}

/** What the ledger holds under a funding's key. */
export interface BookedFunding {
  readonly amountUsdCents: number;
  readonly actor: string;
  readonly at: Date;
  /** Whether this call moved the money, or an earlier one under the same key. */
  readonly isNew: boolean;
}

/** True when this call moved the money, false when the key had moved it before. */
export async function fundHolding(database: Queryable, funding: Funding): Promise<boolean> {
  const { rows } = await database.query({
    text: `
      with transfer as (
        insert into ledger_transfers (transfer_key, from_account, to_account, amount_usd_cents, created_at, actor)
        values ($1, 'funding', 'holding', $2::bigint, service_now(), $3)
            on conflict (transfer_key) do nothing
        returning amount_usd_cents
      )
      update holding_balance b set balance_usd_cents = b.balance_usd_cents + t.amount_usd_cents
        from transfer t
      returning b.balance_usd_cents`,
    values: [funding.key, funding.amountUsdCents, funding.actor],
  });
  return rows.length > 0;
}

interface FundingRow {
  readonly amount_usd_cents: number;
  readonly actor: string;
  readonly created_at: Date;
}

/** As `fundHolding`, and answers what the ledger holds under the key: another amount, if the key was used for one before. */
export async function bookFunding(database: Queryable, funding: Funding): Promise<BookedFunding> {
  const isNew = await fundHolding(database, funding);
  const { rows } = await database.query<FundingRow>({
    text: `select amount_usd_cents, actor, created_at from ledger_transfers where transfer_key = $1`,
    values: [funding.key],
  });
  const row = rows[0];
  if (row === undefined) throw new Error(`no transfer ${funding.key}: was the database restored?`);
  const { amount_usd_cents: amountUsdCents, actor, created_at: at } = row;
  return { amountUsdCents, actor, at, isNew };
}

/** The balance at one instant: no debit has to be waited for. */
export async function readHoldingBalance(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ readonly balance: number }>({
    name: 'holding-balance',
    text: 'select balance_usd_cents as balance from holding_balance',
  });
  if (rows[0] === undefined) throw new Error('the holding account has no balance');
  return rows[0].balance;
}
