// Reconciles the staged lines of a statement with the payments, by payout key and in exact amounts,
// in one snapshot that begins after the statement was read (decision 130). It changes no payment:
// differences go into a temporary table.
import type { Corridor } from '../../corridors/names';
import { PAYOUT_ATTEMPT_MAX_SECONDS } from '../../domain/payouts/limits';
import { reconciledPart, type Scope } from '../../domain/reconciliation';
import { readOne, type Connection, type Queryable } from '../database';
import { inSnapshot, keyRanges, type KeyRange } from '../ledger/snapshot';

export interface ReconcileCounts {
  /** Lines and captured payments at an edge of the period, which are not reconciled. */
  readonly openLines: number;
  readonly openPayments: number;
  /** Lines outside the period. */
  readonly linesOutside: number;
}

interface ReconcileScope extends Scope {
  /** The corridors of which the statement has no line. */
  readonly unlisted: readonly Corridor[];
  /** Called with the number of lines and payments reconciled so far. */
  readonly onProgress: (rows: number) => void;
}

const DIFFERENCES = `
  create temporary table statement_differences (
    number bigint generated always as identity primary key,
    kind text not null,
    payout_key text not null,
    intent_id text,
    line bigint,
    stated_usd_cents bigint,
    stated_local jsonb,
    stated_cost numeric,
    stated_corridor text,
    times bigint not null,
    moved_from timestamptz not null,
    moved_until timestamptz not null
  );
  create unique index one_finding_a_corridor on statement_differences (payout_key)
   where kind = 'corridor_missing'`;

export async function reconcileBooks(
  connection: Connection,
  scope: ReconcileScope,
): Promise<ReconcileCounts> {
  await connection.query({ text: DIFFERENCES });
  const counts = { openLines: 0, openPayments: 0, linesOutside: 0 };
  let rows = 0;
  await inSnapshot(connection, async (snapshot) => {
    const bounds = boundsOf(scope);
    const reportProgress = (range: KeyRange) => {
      rows += range.rows;
      scope.onProgress(rows);
    };
    for await (const range of keyRanges(snapshot, 'statement_lines')) {
      const { open, outside } = await reconcileLines(snapshot, range, bounds);
      counts.openLines += open;
      counts.linesOutside += outside;
      reportProgress(range);
    }
    for await (const range of keyRanges(snapshot, 'payment_intents')) {
      counts.openPayments += await reconcilePayments(snapshot, range, { ...bounds, ...scope });
      reportProgress(range);
    }
  });
  return counts;
}

/** Whether money that came back is not booked for the payment in the row `alias`. */
export const isReturnUnbooked = (alias: string): string =>
  `${alias}.status in ('created', 'authorized', 'captured')`;

/** Whether it is booked, whatever came back: the rest is booked by the month. */
export const isReturnBooked = (row: string): string => `${row}.status in ('refunded', 'failed')`;

const IS_RETURN_TO_STORE = `(${isReturnUnbooked('l')}
  or l.is_returned and l.cost is not null and ${isReturnBooked('l')})`;

/** What the payee must get, by the payout `p`. */
export const ORDERED_LOCAL = `case when p.ordered_minor is not null
             then jsonb_build_object('currency', p.ordered_currency, 'minor', p.ordered_minor) end`;

/** The digits that both costs have: a statement may round to a cent, and no further. */
const COST_DIGITS = 'greatest(2, least(scale(l.cost), scale(l.our_cost)))';

/**
 * Only our own protocol orders cents. For any other the line must state the payee's amount, which
 * confirms it where no answer did, and a cost must be the stored one. What comes back is a result.
 * Of a payment without a known order, only cents can be compared.
 */
const AMOUNT_DIFFERS = `case when l.our_local is not null and not l.is_in_cents
             then (l.local is distinct from l.our_local and not (l.is_returned and l.local is null))
                  or (round(l.cost, ${COST_DIGITS}) <> round(l.our_cost, ${COST_DIGITS})
                      and not l.is_returned)
             when l.is_in_cents or l.amount_usd_cents is not null
             then l.amount_usd_cents is distinct from l.our_usd_cents or l.local <> l.our_local end`;

interface Bounds {
  readonly since: Date;
  readonly until: Date;
  /** Equal if nothing is reconciled. */
  readonly reconciledFrom: Date;
  readonly reconciledUntil: Date;
}

function boundsOf({ period }: Scope): Bounds {
  const reconciled = reconciledPart(period) ?? { since: period.since, until: period.since };
  return { ...period, reconciledFrom: reconciled.since, reconciledUntil: reconciled.until };
}

/**
 * A table of conditions names each kind of difference that a line can show. Of several lines with
 * the same key, the first that shows it is reported. A return counts where no later payment
 * outweighs it. Money that came back to a payment that ended unpaid, or that was refunded, is no
 * difference, since both books say that it is ours; how much came is stored.
 */
function reconcileLines(
  snapshot: Queryable,
  { after, upTo }: KeyRange,
  { since, until, reconciledFrom, reconciledUntil }: Bounds,
): Promise<{ readonly open: number; readonly outside: number }> {
  return readOne(snapshot, {
    text: `
      with lines as materialized (
        select s.*, i.status, i.amount_usd_cents as our_usd_cents, p.cost_debited as our_cost,
               p.account like 'http/%' as is_in_cents,
               i.corridor as our_corridor, i.intent_id as our_intent_id, ${ORDERED_LOCAL} as our_local,
               s.executed_at > $3 and s.executed_at < $4 as is_reconciled,
               s.executed_at < $5 or s.executed_at > $6 as is_outside,
               greatest(count(*) filter (where not s.is_returned) over of_key,
                        count(*) filter (where s.is_returned) over of_key) as times,
               count(*) filter (where s.is_returned) over of_key
               >= greatest(1, count(*) filter (where not s.is_returned) over of_key) as has_return,
               min(s.executed_at) over of_key as moved_from,
               max(s.executed_at) over of_key as moved_until
          from statement_lines s left join payment_intents i on i.intent_id = s.intent_id
          left join payouts p on p.intent_id = i.intent_id
         where s.payout_key > $1 and s.payout_key <= $2
        window of_key as (partition by s.payout_key)
      ),
      found as (
        insert into statement_differences (kind, payout_key, intent_id, line, stated_usd_cents,
               stated_local, stated_cost, stated_corridor, times, moved_from, moved_until)
        select distinct on (k.kind, l.payout_key) k.kind, l.payout_key, l.our_intent_id, l.line,
               l.amount_usd_cents, l.local,
               case when k.kind <> 'returned' or l.is_returned then l.cost end,
               l.corridor, l.times, l.moved_from, l.moved_until
          from lines l
         cross join lateral (values
                 ('key_unknown', l.status is null),
                 ('paid_not_captured', l.status not in ('captured', 'refunded')
                                       and not l.has_return),
                 ('returned', l.has_return and ${IS_RETURN_TO_STORE}),
                 ('amount_differs', l.status is not null and ${AMOUNT_DIFFERS}),
                 ('corridor_differs', l.corridor <> l.our_corridor),
                 ('paid_twice', l.times > 1)
               ) as k (kind, holds)
         where l.is_reconciled and k.holds
         order by k.kind, l.payout_key, k.kind = 'returned' and not l.is_returned, l.line
      )
      select count(*) filter (where not is_outside and not is_reconciled) as open,
             count(*) filter (where is_outside) as outside
        from lines`,
    values: [after, upTo, reconciledFrom, reconciledUntil, since, until],
  });
}

/**
 * Finds captured payments that the statement lacks. If the payout followed its debit at once, the
 * money left between the first sending and the capture. If it did not, a restored database may have
 * lost a sending, and only the payment's creation is certain to be earlier. Where the statement has
 * no line of a corridor, it is of another one: that is one finding, about no payment.
 */
async function reconcilePayments(
  snapshot: Queryable,
  { after, upTo }: KeyRange,
  { reconciledFrom, reconciledUntil, since, until, corridor, unlisted }: Bounds & ReconcileScope,
): Promise<number> {
  const { open } = await readOne<{ readonly open: number }>(snapshot, {
    text: `
      with missing as materialized (
        select i.intent_id, i.corridor, i.captured_at,
               case when p.attempts > 0
                     and p.first_attempt_at <= d.created_at
                           + interval '${String(PAYOUT_ATTEMPT_MAX_SECONDS)} s'
                    then p.first_attempt_at else i.created_at end as sent_from
          from payment_intents i
          left join payouts p on p.intent_id = i.intent_id
          left join ledger_transfers d on d.transfer_key = i.intent_id || ':debit'
         where i.intent_id > $1 and i.intent_id <= $2
           and i.status in ('captured', 'refunded')
           and i.captured_at >= $5
           and ($7::text is null or i.corridor = $7)
           and not exists (select from statement_lines s
                            where s.payout_key = i.intent_id || ':payout')
      ),
      in_period as (
        select m.*, m.sent_from > $3 and m.captured_at < $4 as is_reconciled
          from missing m
         where m.sent_from <= $6
      ),
      found as (
        insert into statement_differences as d (kind, payout_key, intent_id, stated_corridor, times,
                                                moved_from, moved_until)
        select 'captured_not_paid', p.intent_id || ':payout', p.intent_id, null, 0,
               p.sent_from, p.captured_at
          from in_period p where p.is_reconciled and p.corridor <> all ($8)
         union all
        select 'corridor_missing',
               p.corridor || to_char($5 at time zone 'utc', '" from "YYYY-MM-DD"T"HH24:MI:SS"Z"'),
               null, p.corridor, count(*), min(p.sent_from), max(p.captured_at)
          from in_period p where p.is_reconciled and p.corridor = any ($8) group by p.corridor
            on conflict (payout_key) where kind = 'corridor_missing' do update
           set times = d.times + excluded.times,
               moved_from = least(d.moved_from, excluded.moved_from),
               moved_until = greatest(d.moved_until, excluded.moved_until)
      )
      select count(*) filter (where not is_reconciled) as open from in_period`,
    values: [after, upTo, reconciledFrom, reconciledUntil, since, until, corridor, unlisted],
  });
  return open;
}

/** The key of an advisory lock, which counts within one database. */
const RECONCILIATION_LOCK = 130_000_001;

/**
 * Allows one reconciliation of a database at a time. A second one would mark the findings of the
 * first as its own, and the first would then count none and call the books clean.
 * @returns whether the lock was free. It belongs to the connection, and ends with it at the latest.
 */
export async function lockReconciliation(connection: Queryable): Promise<boolean> {
  const { isLocked } = await readOne<{ readonly isLocked: boolean }>(connection, {
    text: 'select pg_try_advisory_lock($1) as "isLocked"',
    values: [RECONCILIATION_LOCK],
  });
  return isLocked;
}

/**
 * Postgres notices a closed connection only a moment later: without this, an immediate repeat could
 * be rejected.
 */
export async function unlockReconciliation(connection: Queryable): Promise<void> {
  await connection.query({
    text: 'select pg_advisory_unlock($1)',
    values: [RECONCILIATION_LOCK],
  });
}
