// What every account of the ledger holds, summed from its entries (architecture, section 5).
import type { Database, Queryable } from './database';
import { inSnapshot, keyRanges, type KeyRange } from './ledger-snapshot';

export interface LedgerAccount {
  readonly accountId: string;
  readonly purpose: string;
  readonly balanceUsdCents: number;
}

/** By account: what has come in, less what has gone out. */
export type Balances = Map<string, number>;

/** Every account, those without an entry too, as they stood at one instant. */
export function readAccounts(database: Database): Promise<readonly LedgerAccount[]> {
  return inSnapshot(database, async (connection) => {
    const balances: Balances = new Map();
    for await (const range of keyRanges(connection, 'ledger_transfers')) {
      await addEntries(connection, range, balances);
    }
    const known = await readKnownAccounts(connection);
    return known.map(({ account_id: accountId, purpose }) => ({
      accountId,
      purpose,
      balanceUsdCents: balances.get(accountId) ?? 0,
    }));
  });
}

interface AccountRow {
  readonly account_id: string;
  readonly purpose: string;
}

export async function readKnownAccounts(connection: Queryable): Promise<readonly AccountRow[]> {
  const { rows } = await connection.query<AccountRow>({
    text: 'select account_id, purpose from ledger_accounts order by account_id',
  });
  return rows;
}

interface SumRow {
  readonly account_id: string;
  readonly balance: number;
}

/** Adds the entries of a range of transfers to the balances. */
export async function addEntries(
  connection: Queryable,
  { after, upTo }: KeyRange,
  balances: Balances,
): Promise<void> {
  const { rows } = await connection.query<SumRow>({
    text: `select account_id, sum(amount_usd_cents)::bigint as balance from ledger_entries
            where transfer_key > $1 and transfer_key <= $2 group by account_id`,
    values: [after, upTo],
  });
  for (const { account_id: accountId, balance } of rows) {
    balances.set(accountId, (balances.get(accountId) ?? 0) + balance);
  }
}
