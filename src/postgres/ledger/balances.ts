// The balance of every ledger account, summed from its entries (architecture, section 5).
import { readRows, type Database, type Queryable } from '../database';
import { inSnapshot, keyRanges } from './snapshot';

/** By account: the sum of its entries, negative where more went out than came in. */
export type Balances = ReadonlyMap<string, number>;

interface LedgerAccount {
  readonly account_id: string;
  readonly purpose: string;
}

/** The JSON shape that programs rely on. */
export interface AccountBalance extends LedgerAccount {
  /** Credits less debits: below zero for an account that only gives, such as `funding`. */
  readonly balance_usd_cents: number;
}

/** Every account with its balance at one instant, including accounts without an entry. */
export function readAccounts(database: Database): Promise<readonly AccountBalance[]> {
  return inSnapshot(database, async (connection) => {
    const balances = await readBalances(connection);
    const known = await readKnownAccounts(connection);
    return known.map((account) => ({
      ...account,
      balance_usd_cents: balances.get(account.account_id) ?? 0,
    }));
  });
}

export function readKnownAccounts(connection: Queryable): Promise<readonly LedgerAccount[]> {
  return readRows(connection, {
    text: 'select account_id, purpose from ledger_accounts order by account_id',
  });
}

interface SumRow {
  readonly account_id: string;
  readonly balance: number;
}

/** The balances of accounts that have an entry. */
export async function readBalances(connection: Queryable): Promise<Balances> {
  const balances = new Map<string, number>();
  for await (const { after, upTo } of keyRanges(connection, 'ledger_transfers')) {
    const sums = await readRows<SumRow>(connection, {
      text: `select account_id, sum(amount_usd_cents)::bigint as balance from ledger_entries
              where transfer_key > $1 and transfer_key <= $2 group by account_id`,
      values: [after, upTo],
    });
    for (const { account_id: account, balance } of sums) {
      balances.set(account, (balances.get(account) ?? 0) + balance);
    }
  }
  return balances;
}

// The corridors that the database knows, by their accounts (migration 0003, `add_corridor`).

export async function readCorridors(connection: Queryable): Promise<readonly string[]> {
  const rows = await readRows<{ readonly corridor: string }>(connection, {
    text: `select split_part(account_id, ':', 2) as corridor
             from ledger_accounts where account_id like 'settlement:%' order by 1`,
  });
  return rows.map(({ corridor }) => corridor);
}
