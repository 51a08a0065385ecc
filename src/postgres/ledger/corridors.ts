// The corridors that the database knows, by their accounts (migration 0003, `add_corridor`).
import { readRows, type Queryable } from '../database';

export async function readCorridors(connection: Queryable): Promise<readonly string[]> {
  const rows = await readRows<{ readonly corridor: string }>(connection, {
    text: `select split_part(account_id, ':', 2) as corridor
             from ledger_accounts where account_id like 'settlement:%' order by 1`,
  });
  return rows.map(({ corridor }) => corridor);
}
