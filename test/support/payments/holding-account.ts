// The holding account of a test bed, as tests about money need it: emptied between them, and its balance read.
import { countOf, type TestBed } from '../builders';

/** Nothing was ever moved, and the balance is zero. */
export async function emptyHolding({ database }: TestBed): Promise<void> {
  await database.query({ text: 'truncate ledger_transfers' });
  await database.query({ text: 'update holding_balance set balance_usd_cents = 0' });
}

/** In cents. */
export function holdingBalance(bed: TestBed): Promise<number> {
  return countOf(bed, 'select balance_usd_cents as count from holding_balance');
}
