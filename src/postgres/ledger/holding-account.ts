// The holding account as operations see it: money put in, and what is left. Debits have funds-account.ts.
import { readOne, readRows, type Queryable } from '../database';

interface Funding {
  /** Makes it happen once, such as `fund:2026-11-21-wire-4711`. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly actor: string;
}

/** What the ledger holds under a key. */
export interface BookedTransfer {
  readonly amountUsdCents: number;
  readonly actor: string;
  readonly at: Date;
}

/** True when this call moved the money, false when the key had moved it before. */
export async function fundHoldingAccount(database: Queryable, funding: Funding): Promise<boolean> {
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

/**
 * As `fundHoldingAccount`, and answers what the ledger holds under the key: another amount, if the key was used for one before.
 * @returns also whether this call moved the money, or an earlier one under the same key
 */
export async function bookFunding(database: Queryable, funding: Funding) {
  const isNew = await fundHoldingAccount(database, funding);
  const booked = await findTransfer(database, funding.key);
  if (booked === null) throw new Error(`no transfer ${funding.key}: was the database restored?`);
  return { ...booked, isNew };
}

export async function findTransfer(
  database: Queryable,
  key: string,
): Promise<BookedTransfer | null> {
  const [booked] = await readRows<BookedTransfer>(database, {
    text: `select amount_usd_cents as "amountUsdCents", actor, created_at as at
             from ledger_transfers where transfer_key = $1`,
    values: [key],
  });
  return booked ?? null;
}

/** The balance at one instant: no debit has to be waited for. */
export async function readHoldingAccountBalance(database: Queryable): Promise<number> {
  const { balance } = await readOne<{ readonly balance: number }>(database, {
    name: 'holding-balance',
    text: 'select balance_usd_cents as balance from holding_balance',
  });
  return balance;
}
