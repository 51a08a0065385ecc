// Expires many payments past their deadline (decision 132). They are claimed with a lease, and one
// statement expires them and writes everything that belongs to it in one commit, as
// transition-statements.ts does for one payment.
import { CORRIDORS } from '../../corridors/names';
import type { IntentId } from '../../domain/ids';
import { CLAIM_LEASE_SECONDS } from '../../domain/limits';
import { toPaymentStart } from '../../domain/intents/payment-start';
import type { OverduePayment } from '../../ports/intents';
import { readOne, readRows, type Queryable } from '../database';
import { INTENT_COLUMNS, toPaymentIntent, type IntentRow } from './row';
import {
  IS_RESTORE_STOP_IN_FORCE,
  MAY_HAVE_LOST_COMMITS,
  MUST_QUERY_PROVIDER,
} from '../payouts/stops';
import { IS_OVERDUE, writeEvent } from './transition-parts';

/**
 * Whether the statement may expire the row `i` without its workflow. A payment that needs
 * attention, or whose provider must be queried after Postgres has lost commits, is left to its
 * workflow. The caller has made sure that the workflow has confirmed nothing.
 */
const MAY_EXPIRE = `${IS_OVERDUE} and i.attention_since is null
       and not ${IS_RESTORE_STOP_IN_FORCE} and not ${MAY_HAVE_LOST_COMMITS}`;

/** Whether only a workflow can expire the row `i`; during a stop for a restore it cannot either. */
const NEEDS_WORKFLOW = `not ${IS_RESTORE_STOP_IN_FORCE}
       and (${MUST_QUERY_PROVIDER} or i.attention_since is not null)`;

type OverdueRow = IntentRow & Omit<OverduePayment, 'payment'>;

/**
 * The time is read in a subquery and the claimed rows are an array: a volatile function, or a join,
 * would read the whole table.
 */
export async function claimOverdue(
  database: Queryable,
  limit: number,
  installationId?: string,
): Promise<readonly OverduePayment[]> {
  const overdue = await readRows<OverdueRow>(database, {
    name: 'claim-overdue',
    text: `
      with clock as materialized (
        select service_now() as now
      ),
      due as (
        select i.intent_id from payment_intents i, clock
         where i.check_at <= (select now from clock) and ${IS_OVERDUE}
           and not i.is_workflow_gone and i.corridor = any ($2)
         order by i.check_at limit $1
           for no key update of i skip locked
      )
      update payment_intents i
         set check_at = clock.now + interval '${String(CLAIM_LEASE_SECONDS)} s'
        from clock
       where i.intent_id = any (array(select intent_id from due))
      returning ${INTENT_COLUMNS},
             (extract(epoch from clock.now - i.expires_at) * 1000)::bigint as "overdueMs",
             ${MAY_EXPIRE} as "mayExpire", ${NEEDS_WORKFLOW} as "needsWorkflow",
             i.attention_since is not null as "waitsForPeople"`,
    values: [limit, CORRIDORS],
  });
  return overdue.map(({ overdueMs, mayExpire, needsWorkflow, waitsForPeople, ...row }) => ({
    payment: toPaymentStart(toPaymentIntent(row), installationId),
    ...{ overdueMs, mayExpire, needsWorkflow, waitsForPeople },
  }));
}

const FROM = { source: 'moved m join event_ids using (intent_id)', payout: 'null' };

/**
 * A row that another transaction has locked is skipped: it is being authorized, cancelled or
 * expired. So the statement never waits for another transaction, in whatever order it takes the
 * rows. The workflow of a payment adopts `expired` minutes later, so the webhook poller delivers
 * the event at once.
 *
 * $1 the intents, $2 for each of them the id of its webhook event, in case one is written.
 */
const EXPIRE = `
  with clock as materialized (
    select service_now() as now
  ),
  event_ids as (
    select intent_id, event_id from unnest($1::text[], $2::text[]) as e (intent_id, event_id)
  ),
  due as materialized (
    select i.intent_id from payment_intents i, clock
     where i.intent_id = any ($1::text[]) and ${MAY_EXPIRE}
       for no key update of i skip locked
  ),
  moved as (
    update payment_intents i set status = 'expired', check_at = null
      from clock
     where i.intent_id = any (array(select intent_id from due)) and ${MAY_EXPIRE}
    returning i.*
  ),
  history as (
    insert into intent_transitions (intent_id, from_status, to_status, at, actor)
    select m.intent_id, 'created', m.status, clock.now, 'system' from moved m, clock
  ),
  event as (${writeEvent({ id: 'event_id', ...FROM }, 0)}
  )
  select count(*) as expired from moved`;

/** @returns how many payments it expired; a repeat expires none */
export async function expireOverdue(
  database: Queryable,
  intentIds: readonly IntentId[],
  makeEventId: () => string,
): Promise<number> {
  const { expired } = await readOne<{ readonly expired: number }>(database, {
    name: 'expire-overdue',
    text: EXPIRE,
    values: [intentIds, intentIds.map(() => makeEventId())],
  });
  return expired;
}
