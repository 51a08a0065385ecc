// Deletes in batches what belongs to payments that ended long ago (decision 141). The row of an
// intent stays: it answers a repeated create, and a missing row means that Postgres lost commits.
import { readOne, type Database, type Queryable } from '../database';
import { costsOf } from '../ledger/costs';
import { IS_RESTORE_STOP_IN_FORCE } from '../payouts/stops';

const INTENTS_PER_BATCH = 500;

/**
 * Statements for the intents $1. Used tokens and scanned codes are missing: the poller deletes them
 * minutes after they have expired.
 */
const DELETED: readonly string[] = [
  // An operator may have replayed an event meanwhile; then it stays, with its intent.
  `with gone as (
     delete from webhook_events
      where intent_id = any ($1) and state in ('delivered', 'exhausted')
     returning event_id
   )
   delete from webhook_attempts a using gone where a.event_id = gone.event_id`,
  'delete from attention where intent_id = any ($1)',
  `insert into pruned_costs as c ${costsOf('p.intent_id = any ($1)')} order by i.corridor
       on conflict (corridor) do update
      set total = c.total + excluded.total, fees = c.fees + excluded.fees`,
  'delete from payouts where intent_id = any ($1)',
  'delete from payout_resolutions where intent_id = any ($1)',
  'delete from quotes where intent_id = any ($1)',
  'delete from quote_requests where intent_id = any ($1)',
  'delete from intent_transitions where intent_id = any ($1)',
];

/** Bookings sum transfers, or payouts, range by range: none may move meanwhile. */
const LOCK_REPAYMENTS =
  "select from ledger_accounts where account_id like 'due:%' order by account_id for share";

/**
 * Deletes the transfers of the intents $1 and adds their amounts, by way, to one transfer for each
 * way: every account keeps its balance. $2 is the operator.
 */
const CARRY = `
  with gone as (
    delete from ledger_transfers where intent_id = any ($1)
    returning from_account, to_account, amount_usd_cents
  )
  insert into ledger_transfers as l (transfer_key, from_account, to_account, amount_usd_cents,
                                     created_at, actor)
  select concat('pruned:', from_account, '>', to_account), from_account, to_account,
         sum(amount_usd_cents), service_now(), operator_name($2)
    from gone
   group by from_account, to_account
   order by from_account, to_account
      on conflict (transfer_key) do update
     set amount_usd_cents = l.amount_usd_cents + excluded.amount_usd_cents,
         created_at = excluded.created_at, actor = excluded.actor`;

/** The last intent of a batch, in order of creation. */
interface Cursor {
  readonly createdAt: string;
  readonly intentId: string;
}

const FROM_THE_FIRST: Cursor = { createdAt: '-infinity', intentId: '' };

/**
 * Locks a page of intents that were created before $1, in order of creation. A row that another
 * transaction has locked is left out.
 */
const PAGE = `
  with page as materialized (
    select intent_id, created_at, pruned_at from payment_intents
     where created_at < $1 and (created_at, intent_id) > ($2::timestamptz, $3)
     order by created_at, intent_id
     limit ${INTENTS_PER_BATCH}
  ),
  locked as (
    select intent_id from payment_intents
     where intent_id in (select intent_id from page where pruned_at is null)
       for update skip locked
  )
  select (select array_agg(intent_id) from locked) as "intentIds",
         (select count(*) from page) as read,
         (select count(*) from page where pruned_at is not null) as earlier,
         (select max(created_at)::text from page) as "createdAt",
         (select intent_id from page order by created_at desc, intent_id desc limit 1) as "intentId"`;

/**
 * Those of the intents $1 that ended before $2 and of which nothing is open. They are locked, so
 * none changes its status afterwards.
 */
const CLOSED = `
  select array_agg(i.intent_id) as "intentIds"
    from payment_intents i
   where i.intent_id = any ($1)
     and not ${IS_RESTORE_STOP_IN_FORCE}
     and i.status in ('captured', 'failed', 'expired', 'refunded', 'cancelled')
     and i.attention_since is null
     and i.check_at is null
     and not exists (select from intent_transitions t
                      where t.intent_id = i.intent_id and t.at >= $2)
     and not exists (select from payouts p where p.intent_id = i.intent_id and p.status = 'sent')
     and not exists (select from pending_rechecks r where r.intent_id = i.intent_id)
     and not exists (select from confirm_payloads c where c.intent_id = i.intent_id)
     and not exists (select from webhook_events v
                      where v.intent_id = i.intent_id
                        and (v.state in ('pending', 'skipped')
                             or greatest(v.created_at, v.finished_at) >= $2))
     and not exists (select from webhook_attempts a join webhook_events v using (event_id)
                      where v.intent_id = i.intent_id and a.started_at >= $2)
     and not exists (select from attention a
                      where a.intent_id = i.intent_id and a.ended_at >= $2)
     and not exists (select from reconcile_findings f
                      where f.intent_id = i.intent_id and f.closed_at is null)`;

interface PruneOrder {
  readonly before: Date;
  readonly actor: string;
}

/** Numbers of intents that were created before the time. */
export interface Pruned {
  readonly read: number;
  /** Of these, pruned by an earlier command. */
  readonly earlier: number;
  readonly pruned: number;
}

/**
 * Prunes one batch after the other, each in its own commit: it may be interrupted and repeated.
 *
 * @param onProgress called after each batch with the number of intents read so far
 */
export async function pruneIntents(
  database: Database,
  order: PruneOrder,
  onProgress: (read: number) => void,
): Promise<Pruned> {
  const sum = { read: 0, earlier: 0, pruned: 0 };
  for (let after = FROM_THE_FIRST; ;) {
    const batch = await database.inTransaction((connection) =>
      pruneBatch(connection, order, after),
    );
    sum.read += batch.read;
    sum.earlier += batch.earlier;
    sum.pruned += batch.pruned;
    onProgress(sum.read);
    if (batch.read < INTENTS_PER_BATCH) return sum;
    after = batch;
  }
}

interface PageRow extends Cursor {
  /** Null if all are locked or were pruned. */
  readonly intentIds: readonly string[] | null;
  readonly read: number;
  readonly earlier: number;
}

async function pruneBatch(
  connection: Queryable,
  { before, actor }: PruneOrder,
  { createdAt, intentId }: Cursor,
): Promise<PageRow & Pruned> {
  const page = await readOne<PageRow>(connection, {
    text: PAGE,
    values: [before, createdAt, intentId],
  });
  // A statement of its own sees what others committed before the rows were locked.
  const { intentIds } = await readOne<Pick<PageRow, 'intentIds'>>(connection, {
    text: CLOSED,
    values: [page.intentIds ?? [], before],
  });
  if (intentIds === null) return { ...page, pruned: 0 };
  for (const text of DELETED) await connection.query({ text, values: [intentIds] });
  await connection.query({ text: LOCK_REPAYMENTS });
  await connection.query({ text: CARRY, values: [intentIds, actor] });
  await connection.query({
    text: `update payment_intents
              set pruned_at = service_now(), partner_user_id = 'erased'
            where intent_id = any ($1)`,
    values: [intentIds],
  });
  return { ...page, pruned: intentIds.length };
}

/** Deletes what limits have counted. */
export async function pruneDays(database: Queryable, before: Date): Promise<void> {
  await database.query({
    text: `delete from partner_days where day < ($1::timestamptz at time zone 'UTC')::date`,
    values: [before],
  });
}
