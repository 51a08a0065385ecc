// The holding account of a test bed, as tests about money need it: emptied between them, and counted by its slots.
import { countOf, type TestBed } from './builders';

/** Nothing was ever moved, and no slot has anything. */
export async function emptyHolding({ database }: TestBed): Promise<void> {
  await database.query({ text: 'truncate ledger_transfers' });
  await database.query({ text: 'update holding_slots set balance_usd_cents = 0' });
}

/** What all slots have together, in cents. */
export function inSlots(bed: TestBed): Promise<number> {
  return countOf(bed, 'select sum(balance_usd_cents) as count from holding_slots');
}
