// What a provider pays back of what it owes us for refunds (decision 16). The refund has credited the holding account already,
// so what comes in goes against the debt and not into the holding account again.
import type { Corridor } from '../domain/corridor';
import type { Database, Queryable } from './database';
import { addEntries, type Balances } from './ledger-balances';
import { keyRanges } from './ledger-snapshot';

interface Repayment {
  readonly corridor: Corridor;
  /** Makes it happen once, in this corridor. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly actor: string;
}

export interface BookedRepayment {
  /** What the ledger holds under the key; null when it is more than is owed, and nothing was booked. */
  readonly booked: {
    readonly amountUsdCents: number;
    readonly actor: string;
    readonly at: Date;
  } | null;
  /** Whether this call booked it, or an earlier one under the same key. */
  readonly isNew: boolean;
  /** What is still owed. */
  readonly owedUsdCents: number;
}

/**
 * Repayments of a corridor wait for each other, so that together they are never more than is owed. A refund that commits
 * meanwhile only makes the debt larger.
 */
export function bookRepayment(database: Database, repayment: Repayment): Promise<BookedRepayment> {
  const { corridor, key, amountUsdCents } = repayment;
  const account = `owed:${corridor}`;
  const transferKey = `settle:${corridor}:${key}`;
  return database.inTransaction(async (connection) => {
    await connection.query({
      text: 'select from ledger_accounts where account_id = $1 for update',
      values: [account],
    });
    const owedUsdCents = await readOwed(connection, account);
    const earlier = await findRepayment(connection, transferKey);
    if (earlier !== undefined) return { booked: earlier, isNew: false, owedUsdCents };
    if (amountUsdCents > owedUsdCents) return { booked: null, isNew: false, owedUsdCents };
    const booked = await insertRepayment(connection, { ...repayment, account, transferKey });
    return { booked, isNew: true, owedUsdCents: owedUsdCents - amountUsdCents };
  });
}

async function readOwed(connection: Queryable, account: string): Promise<number> {
  const balances: Balances = new Map();
  for await (const range of keyRanges(connection, 'ledger_transfers')) {
    await addEntries(connection, range, balances);
  }
  return 0 - (balances.get(account) ?? 0);
}

interface RepaymentRow {
  readonly amount_usd_cents: number;
  readonly actor: string;
  readonly created_at: Date;
}

async function findRepayment(connection: Queryable, transferKey: string) {
  const { rows } = await connection.query<RepaymentRow>({
    text: 'select amount_usd_cents, actor, created_at from ledger_transfers where transfer_key = $1',
    values: [transferKey],
  });
  return rows[0] === undefined ? undefined : toBooked(rows[0]);
}

async function insertRepayment(
  connection: Queryable,
  {
    transferKey,
    account,
    amountUsdCents,
    actor,
  }: Repayment & {
    readonly transferKey: string;
    readonly account: string;
  },
) {
  const { rows } = await connection.query<RepaymentRow>({
    text: `insert into ledger_transfers (transfer_key, from_account, to_account, amount_usd_cents, created_at, actor)
           values ($1, 'funding', $2, $3, service_now(), $4)
           returning amount_usd_cents, actor, created_at`,
    values: [transferKey, account, amountUsdCents, actor],
  });
  if (rows[0] === undefined) throw new Error('the repayment left no row');
  return toBooked(rows[0]);
}

function toBooked({ amount_usd_cents: amountUsdCents, actor, created_at: at }: RepaymentRow) {
  return { amountUsdCents, actor, at };
}
