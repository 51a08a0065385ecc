// How many payments a partner made in a period, and of how much, for `payctl partners totals`.
import type { Corridor } from '../../corridors/names';
import type { IntentStatus } from '../../domain/intents/payment-intent';
import { readRows, type Queryable } from '../database';
import { byCreation, readNewestFirst, type Period } from './newest-first';

/** The JSON shape that programs rely on. */
interface Total {
  readonly corridor: Corridor;
  /** The present one. */
  readonly status: IntentStatus;
  readonly payments: number;
  readonly amount_usd_cents: number;
}

/** Of the payments that were created in the period. Read page by page, so that none takes long. */
export async function readTotals(
  database: Queryable,
  partnerId: string,
  period: Period,
): Promise<readonly Total[]> {
  const totals = new Map<string, Total>();
  const pages = await readNewestFirst(database, byCreation(period, Infinity), ({ before, from }) =>
    readRows<Total>(database, { text: TOTALS, values: [partnerId, before, from] }),
  );
  for (const { corridor, status, payments, amount_usd_cents: cents } of pages) {
    const name = `${corridor} ${status}`;
    const sum = totals.get(name) ?? { corridor, status, payments: 0, amount_usd_cents: 0 };
    totals.set(name, {
      ...sum,
      payments: sum.payments + payments,
      amount_usd_cents: sum.amount_usd_cents + cents,
    });
  }
  return [...totals.keys()].sort().flatMap((name) => totals.get(name) ?? []);
}

const TOTALS = `
  select corridor, status, count(*) as payments, sum(amount_usd_cents)::bigint as amount_usd_cents
    from payment_intents
   where partner_id = $1 and created_at < $2 and created_at >= $3
   group by corridor, status`;
