// What a provider took for the payments of a corridor, booked once a month (decision 159). Every
// booking is the exact sum until the month's end, rounded to a cent, less what was booked before:
// so the remainder of less than a cent, and a cost that is stored late, come with the next one.
import type { Corridor } from '../../corridors/names';
import { readOne, readRows, type Database, type Queryable } from '../database';
import { keyRanges } from './snapshot';

/** In exact cents, by corridor: what the payouts cost beyond their amounts, and the fees in it. */
export const costsOf = (which: string): string => `
  select i.corridor, sum(p.cost_debited * 100 - i.amount_usd_cents) as total,
         sum(coalesce(p.cost_fee, 0) * 100) as fees
    from payouts p join payment_intents i using (intent_id)
   where i.status in ('captured', 'refunded') and p.cost_debited is not null and ${which}
   group by i.corridor`;

/** Bookings of a corridor that sum rows range by range wait for each other, and for a prune. */
export async function lockBooks(connection: Queryable, corridor: Corridor): Promise<void> {
  await connection.query({
    text: 'select from ledger_accounts where account_id = $1 for update',
    values: [`due:${corridor}`],
  });
}

export interface Month {
  /** `2026-03`. */
  readonly name: string;
  readonly end: Date;
}

interface CostBooking {
  readonly corridor: Corridor;
  readonly month: Month;
  readonly actor: string;
}

/** In cents that the provider took; below zero if it took less than the payments' amounts. */
interface Booked {
  readonly fees: number;
  readonly fx: number;
}

interface BookedCosts {
  /** Of the month; null when a later one is booked, and nothing was booked. */
  readonly booked: Booked | null;
  /** Whether an earlier call booked the month. */
  readonly isRepeat: boolean;
}

export function bookCosts(database: Database, booking: CostBooking): Promise<BookedCosts> {
  const { corridor, month } = booking;
  return database.inTransaction(async (connection) => {
    await lockBooks(connection, corridor);
    const earlier = await readBookings(connection, corridor);
    const ofMonth = earlier.filter(({ name }) => name === month.name);
    if (ofMonth.length > 0) return { booked: sumOf(ofMonth), isRepeat: true };
    if (earlier.some(({ name }) => name > month.name)) return { booked: null, isRepeat: false };
    const until = await readSums(connection, booking);
    const before = sumOf(earlier);
    const booked = { fees: until.fees - before.fees, fx: until.fx - before.fx };
    await write(connection, booking, booked);
    return { booked, isRepeat: false };
  });
}

interface Booking {
  readonly account: keyof Booked;
  /** Of the month. */
  readonly name: string;
  readonly cents: number;
}

function readBookings(connection: Queryable, corridor: Corridor): Promise<readonly Booking[]> {
  return readRows(connection, {
    text: `select account, right(transfer_key, 7) as name,
                  case when from_account = account || ':' || $1 then amount_usd_cents
                       else -amount_usd_cents end as cents
             from unnest(array['fees', 'fx']) as account
             join ledger_transfers
               on transfer_key between concat('cost:', account, ':', $1::text, ':0000-00')
                                   and concat('cost:', account, ':', $1::text, ':9999-99')`,
    values: [corridor],
  });
}

function sumOf(bookings: readonly Booking[]): Booked {
  const of = (kind: keyof Booked) =>
    bookings.reduce((sum, { account, cents }) => sum + (account === kind ? cents : 0), 0);
  return { fees: of('fees'), fx: of('fx') };
}

interface ExactSums {
  readonly total: string;
  readonly fees: string;
}

/** Everything until the month's end. The two sums are rounded, and `fx` is their difference. */
async function readSums(connection: Queryable, { corridor, month }: CostBooking): Promise<Booked> {
  const sums = [
    ...(await readRows<ExactSums>(connection, {
      text: 'select total, fees from pruned_costs where corridor = $1',
      values: [corridor],
    })),
  ];
  const which = 'p.intent_id > $1 and p.intent_id <= $2 and i.corridor = $3 and i.captured_at < $4';
  for await (const { after, upTo } of keyRanges(connection, 'payouts')) {
    const values = [after, upTo, corridor, month.end];
    sums.push(...(await readRows<ExactSums>(connection, { text: costsOf(which), values })));
  }
  return readOne(connection, {
    text: `select coalesce(round(sum(fees)), 0)::bigint as fees,
                  coalesce(round(sum(total)) - round(sum(fees)), 0)::bigint as fx
             from unnest($1::numeric[], $2::numeric[]) as part (total, fees)`,
    values: [sums.map(({ total }) => total), sums.map(({ fees }) => fees)],
  });
}

async function write(
  connection: Queryable,
  { corridor, month, actor }: CostBooking,
  { fees, fx }: Booked,
): Promise<void> {
  await connection.query({
    text: `insert into ledger_transfers (transfer_key, from_account, to_account,
                                         amount_usd_cents, created_at, actor)
           select concat('cost:', account, ':', $2::text),
                  case when cents > 0 then account else settlement end,
                  case when cents > 0 then settlement else account end,
                  abs(cents), service_now(), $3
             from (values ('fees:' || $1, $4::bigint), ('fx:' || $1, $5::bigint))
                    as moved (account, cents),
                  concat('settlement:', $1::text) as settlement
            where cents <> 0`,
    values: [corridor, month.name, actor, fees, fx],
  });
}
