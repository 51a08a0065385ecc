// Empties the holding account of a test bed, and reads its balance.
import { countOf, type TestBed } from '../builders';

/** Deletes all transfers and sets the balance to zero. */
export async function emptyHoldingAccount({ database }: TestBed): Promise<void> {
  await database.query({ text: 'truncate ledger_transfers' });
  await database.query({ text: 'update holding_balance set balance_usd_cents = 0' });
}

/** The balance in cents. */
export function holdingBalance(bed: TestBed): Promise<number> {
  return countOf(bed, 'select balance_usd_cents as count from holding_balance');
}
