// Reads of the whole ledger: in one read-only snapshot, by ranges of keys, so that no statement is
// long and memory does not grow with the ledger.
import { readRows, type Connection, type Queryable } from '../database';

/**
 * The work sees everything that was committed when it began and nothing later, however long it
 * takes.
 */
export function inSnapshot<Result>(
  database: Connection,
  work: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  return database.inTransaction(async (connection) => {
    await connection.query({ text: 'set transaction isolation level repeatable read, read only' });
    return work(connection);
  });
}

/** Keys greater than `after`, up to and including `upTo`. */
export interface KeyRange {
  readonly after: string;
  readonly upTo: string;
  readonly rows: number;
}

/** Few enough to stay far below the statement timeout, and enough to outweigh the round trip. */
const ROWS_PER_RANGE = 5_000;

const KEYS = {
  ledger_transfers: 'transfer_key',
  payment_intents: 'intent_id',
  payouts: 'intent_id',
  statement_lines: 'payout_key',
} as const;

export type KeyedTable = keyof typeof KEYS;

export async function* keyRanges(
  connection: Queryable,
  table: KeyedTable,
): AsyncGenerator<KeyRange> {
  const key = KEYS[table];
  for (let after = ''; ;) {
    const [page] = await readRows<{ readonly upTo: string | null; readonly rows: number }>(
      connection,
      {
        text: `select max(page.key) as "upTo", count(*) as rows
                 from (select ${key} as key from ${table}
                        where ${key} > $1 order by 1 limit $2) as page`,
        values: [after, ROWS_PER_RANGE],
      },
    );
    const upTo = page?.upTo ?? null;
    if (upTo === null) return;
    yield { after, upTo, rows: page?.rows ?? 0 };
    after = upTo;
  }
}
