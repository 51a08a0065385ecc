// Repayments of a provider's debt for refunds (decision 16). The refund has already credited the
// holding account, so a repayment reduces the debt and does not credit the holding account again.
import type { Corridor } from '../../corridors/names';
import { decide } from '../approvals/decide';
import { readOne, type Queryable } from '../database';
import { findTransfer, type BookedTransfer } from './holding-account';

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

/** @throws ApprovalRequired, unless the key has booked it or it exceeds the debt */
export async function bookRepayment(
  database: Queryable,
  { corridor, key, amountUsdCents, actor }: Repayment,
): Promise<BookedRepayment> {
  const given = { corridor, key, amount_usd_cents: amountUsdCents };
  const done = await decide(database, { verb: 'accounts book-repayment', given, actor });
  const booked = await findTransfer(database, `repayment:${corridor}:${key}`);
  const { due } = await readOne<{ readonly due: number }>(database, {
    text: 'select due_of($1) as due',
    values: [`due:${corridor}`],
  });
  return { booked, isNew: done !== null, dueUsdCents: due };
}
