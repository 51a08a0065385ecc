// The stored results of a reconciliation: its own record, its findings, and attention on the
// payments that the findings are about (decision 130).
import type { Corridor } from '../../corridors/names';
import type { FindingKind, Scope } from '../../domain/reconciliation';
import type { LocalAmount } from '../../domain/money';
import type { AttentionKind } from '../../domain/intents/attention';
import { readOne, readRows, type Connection, type Queryable } from '../database';
import { insertAttention } from '../intents/attention';
import { closeUnseen } from './closed-findings';
import { isReturnBooked, isReturnUnbooked, ORDERED_LOCAL } from './reconcile-books';

interface ReconciliationRecord extends Scope {
  /** The corridors of which the statement has no line. */
  readonly unlisted: readonly Corridor[];
  readonly actor: string;
  readonly statement: string;
  readonly sha256: Buffer;
  readonly lines: number;
}

/**
 * A finding and the current row of its payment. The payment's members are null if there is no such
 * row.
 */
export interface FindingRow {
  readonly finding_id: number;
  readonly kind: FindingKind;
  readonly payout_key: string;
  readonly intent_id: string | null;
  readonly line: number | null;
  readonly stated_usd_cents: number | null;
  readonly stated_local: LocalAmount | null;
  readonly stated_cost: string | null;
  readonly stated_corridor: string | null;
  readonly times: number;
  readonly moved_from: Date;
  readonly moved_until: Date;
  readonly found_at: Date;
  readonly is_new: boolean;
  readonly status: string | null;
  readonly amount_usd_cents: number | null;
  readonly ordered_local: LocalAmount | null;
  readonly cost: string | null;
  /** Whether an open finding says that an amount of its payment differs. */
  readonly is_amount_other: boolean;
  readonly corridor: string | null;
  readonly captured_at: Date | null;
  /** Its open attention. */
  readonly kinds: readonly AttentionKind[];
}

/** Makes the sentence of the attention that a finding raises. */
export type Attention = (found: AttentionRow) => string;

type AttentionRow = Pick<
  FindingRow,
  | ('kind' | 'stated_usd_cents' | 'stated_local' | 'stated_cost' | 'stated_corridor' | 'times')
  | ('moved_from' | 'status' | 'amount_usd_cents' | 'ordered_local' | 'cost' | 'corridor')
>;

/** What our rows `i` and `p` say of the payment of a finding. */
const OURS = `i.status, i.amount_usd_cents, ${ORDERED_LOCAL} as ordered_local,
                  p.cost_debited as cost, i.corridor`;

/**
 * Differences are stored in batches, each with its attention in one commit. If the process dies in
 * between, the operator repeats the command.
 */
export async function storeFindings(
  connection: Connection,
  record: ReconciliationRecord,
  attention: Attention,
) {
  const reconciliationId = await begin(connection, record);
  for (let after = 0; ;) {
    const page = await readPage(connection, after);
    const last = page.at(-1);
    if (last === undefined) break;
    const reasons = page.map(
      (row) => `${attention(row)} (reconciliation ${String(reconciliationId)})`,
    );
    const numbers = page.map(({ number }) => number);
    await connection.query({ text: STORE_PAGE, values: [reconciliationId, numbers, reasons] });
    await connection.query({ text: STORE_BOOKED, values: [reconciliationId, numbers] });
    after = last.number;
  }
  return connection.inTransaction(async (transaction) => ({
    reconciliationId,
    closed: await closeUnseen(transaction, reconciliationId, record),
    differences: await finish(transaction, reconciliationId),
  }));
}

async function begin(connection: Queryable, record: ReconciliationRecord): Promise<number> {
  const { actor, statement, sha256, corridor, period, lines } = record;
  const { id } = await readOne<{ readonly id: number }>(connection, {
    text: `insert into reconciliations (actor, statement, statement_sha256, corridor,
                                        since, until, lines)
           values (operator_name($1), $2, $3, $4, $5, $6, $7)
           returning reconciliation_id as id`,
    values: [actor, statement, sha256, corridor, period.since, period.until, lines],
  });
  return id;
}

type PageRow = AttentionRow & { readonly number: number };

const ROWS_PER_COMMIT = 500;

function readPage(connection: Queryable, after: number): Promise<readonly PageRow[]> {
  return readRows(connection, {
    text: `select d.number, d.kind, d.stated_usd_cents, d.stated_local, d.stated_cost,
                  d.stated_corridor, d.times, d.moved_from, ${OURS}
             from statement_differences d
             left join payment_intents i on i.intent_id = d.intent_id
             left join payouts p on p.intent_id = d.intent_id
            where d.number > $1
            order by d.number limit ${String(ROWS_PER_COMMIT)}`,
    values: [after],
  });
}

/**
 * Whether the provider's statement says that a payment `i` with a finding is paid although its row
 * does not. Only a captured payment can be missing from a statement, so one that is not captured is
 * in it.
 */
const IS_STATED_PAID = `i.status not in ('captured', 'refunded')`;

/**
 * $1 the reconciliation, $2 the numbers of the differences, $3 the reason for each of them.
 *
 * A payment that was captured since the books were reconciled, or refunded where its money came
 * back, is no longer a difference and is dropped; one that moved to another status still is. A
 * finding that is already open is marked as seen again but raises no attention, since operators may
 * have acknowledged it. Attention does not prevent a workflow from ending a payment unpaid;
 * must_query_provider does.
 */
const STORE_PAGE = `
  with reasons as (
    select * from unnest($2::bigint[], $3::text[]) as r (number, reason)
  ),
  page as materialized (
    select d.*, r.reason from reasons r join statement_differences d on d.number = r.number
  ),
  payments as materialized (
    select i.intent_id, i.status from payment_intents i
     where i.intent_id in (select intent_id from page)
     order by i.intent_id
       for no key update
  ),
  remaining as materialized (
    select p.* from page p left join payments i on i.intent_id = p.intent_id
     where (p.kind <> 'paid_not_captured' or i.status not in ('captured', 'refunded'))
       and (p.kind <> 'returned' or ${isReturnUnbooked('i')})
  ),
  seen as (
    update reconcile_findings f
       set last_seen_by = $1, stated_cost = coalesce(f.stated_cost, d.stated_cost)
      from remaining d
     where f.kind = d.kind and f.payout_key = d.payout_key and f.closed_at is null
  ),
  stored as (
    insert into reconcile_findings (kind, payout_key, intent_id, line, stated_usd_cents,
                                    stated_local, stated_cost, stated_corridor, times, moved_from,
                                    moved_until, found_by, last_seen_by)
    select kind, payout_key, intent_id, line, stated_usd_cents, stated_local, stated_cost,
           stated_corridor, times, moved_from, moved_until, $1, $1
      from remaining
     order by number
        on conflict (kind, payout_key) where closed_at is null do nothing
    returning kind, payout_key
  ),
  raised as (${insertAttention(`(
    select distinct on (d.intent_id, d.kind) d.intent_id, d.kind, d.reason as sentence
      from remaining d join stored s on s.kind = d.kind and s.payout_key = d.payout_key
      join payments p on p.intent_id = d.intent_id
     order by d.intent_id, d.kind, d.number) as s`)}
  )
  update payment_intents i set must_query_provider = true
   where ${IS_STATED_PAID} and not i.must_query_provider
     and i.intent_id in (select intent_id from remaining)`;

/**
 * How much came back of a payment that was refunded, or failed, before a statement said it. One
 * finding has it, which is closed from the start and no difference.
 */
const STORE_BOOKED = `
  with booked as materialized (
    select d.* from statement_differences d join payment_intents i using (intent_id)
     where d.number = any ($2) and d.kind = 'returned' and d.stated_cost is not null
       and ${isReturnBooked('i')}
  ),
  completed as (
    update reconcile_findings f set stated_cost = d.stated_cost
      from booked d
     where f.intent_id = d.intent_id and f.kind = d.kind and f.closed_by is null
       and f.stated_cost is null
  )
  insert into reconcile_findings (kind, payout_key, intent_id, line, stated_cost, times, moved_from,
                                  moved_until, found_by, last_seen_by, closed_at)
  select kind, payout_key, intent_id, line, stated_cost, times, moved_from, moved_until, $1, $1,
         service_now()
    from booked d
   where not exists (select from reconcile_findings f
                      where f.intent_id = d.intent_id and f.kind = d.kind and f.closed_by is null)`;

/** @returns how many differences there are */
async function finish(transaction: Queryable, reconciliationId: number): Promise<number> {
  const { differences } = await readOne<{ readonly differences: number }>(transaction, {
    text: `update reconciliations r set finished_at = service_now()
            where r.reconciliation_id = $1
           returning (select count(*) from reconcile_findings f
                       where f.last_seen_by = $1 and f.closed_at is null) as differences`,
    values: [reconciliationId],
  });
  return differences;
}

const FINDINGS_LISTED_MAX = 10_000;

/**
 * The findings that a reconciliation has seen: first those in the statement, in its order, then
 * those that are not in it. Without a reconciliation: all that are open, the oldest first.
 */
export function listFindings(
  connection: Queryable,
  reconciliationId: number | null,
): Promise<readonly FindingRow[]> {
  return readRows(connection, {
    text: `select f.finding_id, f.kind, f.payout_key, f.intent_id, f.line,
                  f.stated_usd_cents, f.stated_local, f.stated_cost, f.stated_corridor, f.times,
                  f.moved_from, f.moved_until, r.at as found_at, coalesce(f.found_by = $1, false) as is_new,
                  ${OURS}, i.captured_at,
                  exists (select from reconcile_findings o
                           where o.kind = 'amount_differs' and o.payout_key = f.payout_key
                             and o.closed_at is null) as is_amount_other,
                  array(select a.kind from attention a
                         where a.intent_id = f.intent_id and a.ended_at is null) as kinds
             from reconcile_findings f
             join reconciliations r on r.reconciliation_id = f.found_by
             left join payment_intents i on i.intent_id = f.intent_id
             left join payouts p on p.intent_id = f.intent_id
            where f.closed_at is null and (f.last_seen_by = $1 or $1::bigint is null)
            order by case when $1::bigint is null then f.found_by end, f.line nulls last, f.finding_id
            limit ${String(FINDINGS_LISTED_MAX)}`,
    values: [reconciliationId],
  });
}
