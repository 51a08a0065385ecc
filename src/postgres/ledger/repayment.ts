// Repayments of a provider's debt for refunds (decision 16). The refund has already credited the
// holding account, so a repayment reduces the debt and does not credit the holding account again.
import type { Corridor } from '../../corridors/names';
import type { Database } from '../database';
import { lockBooks } from './costs';
import { findTransfer, type BookedTransfer } from './holding-account';
import { readBalances } from './balances';

interface Repayment {
  readonly corridor: Corridor;
  /** The idempotency key within this corridor. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly actor: string;
}

interface BookedRepayment {
  /** The transfer under the key; null when the amount exceeds the debt, and nothing was booked. */
  readonly booked: BookedTransfer | null;
  /** Whether this call booked it, and not an earlier one with the same key. */
  readonly isNew: boolean;
  /** The debt that remains. */
  readonly dueUsdCents: number;
}

/**
 * Repayments of a corridor wait for each other, so that together they never exceed the debt. A
 * refund that commits meanwhile only makes the debt larger.
 */
export function bookRepayment(database: Database, repayment: Repayment): Promise<BookedRepayment> {
  const { corridor, key, amountUsdCents } = repayment;
  const account = `due:${corridor}`;
  const transferKey = `repayment:${corridor}:${key}`;
  return database.inTransaction(async (connection) => {
    await lockBooks(connection, corridor);
    const dueUsdCents = 0 - ((await readBalances(connection)).get(account) ?? 0);
    const earlier = await findTransfer(connection, transferKey);
    if (earlier !== null || amountUsdCents > dueUsdCents) {
      return { booked: earlier, isNew: false, dueUsdCents };
    }
    await connection.query({
      text: `insert into ledger_transfers (transfer_key, from_account, to_account,
                                           amount_usd_cents, created_at, actor)
             values ($1, 'funding', $2, $3, service_now(), $4)`,
      values: [transferKey, account, amountUsdCents, repayment.actor],
    });
    const booked = await findTransfer(connection, transferKey);
    return { booked, isNew: true, dueUsdCents: dueUsdCents - amountUsdCents };
  });
}
