// Funding of the holding account, and its balance. Debits are in funds-account.ts.
import { readOne, readRows, type Queryable } from '../database';

interface Funding {
  /** The idempotency key, such as `fund:2026-11-21-wire-4711`. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly actor: string;
}

/** The transfer that the ledger has under a key. */
export interface BookedTransfer {
  readonly amountUsdCents: number;
  readonly actor: string;
  readonly at: Date;
}

/** True when this call moved the money, false when an earlier call with the same key did. */
export async function fundHoldingAccount(database: Queryable, funding: Funding): Promise<boolean> {
  const { rows } = await database.query({
    text: `
      with transfer as (
        insert into ledger_transfers (transfer_key, from_account, to_account,
                                      amount_usd_cents, created_at, actor)
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
 * Like `fundHoldingAccount`, and returns the transfer under the key. Its amount differs from the
 * requested one if the key was used before for another amount.
 * @returns the transfer, and whether this call moved the money
 */
export async function bookFunding(database: Queryable, funding: Funding) {
  const isNew = await fundHoldingAccount(database, funding);
  const booked = await findTransfer(database, funding.key);
  if (booked === null) {
    throw new Error(`the ledger has no transfer ${funding.key}: was the database restored?`);
  }
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

/** The balance at one instant. The read waits for no debit. */
export async function readHoldingAccountBalance(database: Queryable): Promise<number> {
  const { balance } = await readOne<{ readonly balance: number }>(database, {
    name: 'holding-balance',
    text: 'select balance_usd_cents as balance from holding_balance',
  });
  return balance;
}
