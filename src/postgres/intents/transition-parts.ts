// The common parts of the statements that change a status (transition-statements.ts): the clock
// that decides, the compare and set, the audit trail and the webhook event.
import type { IntentStatus } from '../../domain/intents/payment-intent';
import { IS_RESTORE_STOP_IN_FORCE, MAY_HAVE_LOST_COMMITS } from '../payouts/stops';

/**
 * The payment's own workflow delivers its webhook event; the webhook poller takes events that are
 * older than this.
 */
const DELIVERY_EXPECTED_WITHIN_SECONDS = 60;

/**
 * Whether the row `i` is past its deadline by `clock`: it can only become `expired` (decision 15).
 */
export const IS_OVERDUE = `i.status = 'created' and i.expires_at <= clock.now`;

export const NO_PAYOUT = `not exists (select from payouts p where p.intent_id = $intent_id)`;

/**
 * Nothing was requested from the provider: no payout has begun, and none was forgotten. After
 * Postgres may have lost commits that needs the provider's answer to the query that the command
 * names (decision 127).
 */
export const IS_UNPAID = `${NO_PAYOUT} and case
           when $query_id::text is null then not ${MAY_HAVE_LOST_COMMITS}
           else i.unpaid_by_query is not distinct from $query_id end`;

/**
 * Whether the answer in the payout `p` proves how it ended. An acceptance that comes late, by an
 * earlier attempt, outweighs a denial, not a decline.
 */
export const PROVED_BY_ANSWER = {
  paid: `p.answer = 'paid'`,
  declined: `p.answer = 'unpaid' and (p.accepted_at is null or p.declined_at is not null)`,
} as const;

/** While a stop for a restore is in force, no intent expires and none is cancelled. */
export const MAY_END_UNPAID = `not ${IS_RESTORE_STOP_IN_FORCE} and ${IS_UNPAID}`;

/** The payer can only authorize, and an authorize by the payer needs a token. */
export const IS_NOT_BY_PAYER = `$actor <> 'payer'`;

/**
 * A row of another amount, corridor or creation time is another payment. Null terms are not
 * compared.
 */
const IS_SAME_PAYMENT = `($amount_usd_cents::bigint is null
            or (i.amount_usd_cents = $amount_usd_cents and i.corridor = $corridor
                and i.created_at = $created_at::timestamptz))`;

/**
 * The webhook event of each row in `moved`, for partners that want one: pending, or skipped where
 * the endpoint is disabled.
 * @param event the expressions for the event's id and for the payout as a row of `payouts`, and the
 * tables they come from
 * @param pollAfterSeconds when the webhook poller takes the event, unless it is delivered by then
 */
export function writeEvent(
  { id, source, payout }: Readonly<Record<'id' | 'source' | 'payout', string>>,
  pollAfterSeconds: number,
): string {
  return `
    insert into webhook_events (event_id, intent_id, partner_id, type, body, created_at, state,
                                due_at, check_at)
    select ${id}, m.intent_id, m.partner_id, 'payment_intent.' || m.status,
           webhook_body(m.*::payment_intents, ${payout}, date_trunc('milliseconds', clock.now)),
           date_trunc('milliseconds', clock.now),
           case when e.disabled_at is null then 'pending' else 'skipped' end,
           case when e.disabled_at is null then clock.now end,
           case when e.disabled_at is null
                then clock.now + interval '${String(pollAfterSeconds)} s' end
      from clock, ${source}
      join webhook_endpoints e on e.partner_id = m.partner_id
     where 'payment_intent.' || m.status = any (e.event_types)
    returning event_id, state`;
}

export interface Edge {
  readonly from: IntentStatus;
  /** A condition on the row without which nothing is counted and nothing moves. */
  readonly only?: string;
  /** The assignments to the row. */
  readonly set: string;
  /** Conditions of the compare and set, in addition to status and terms. */
  readonly guards: readonly string[];
  /** Common table expressions that count the intent before it moves, under the same conditions. */
  readonly count?: { readonly by: (conditions: string) => string; readonly allows: string };
  /** Common table expressions that read `moved`. */
  readonly effects: readonly string[];
  /** Where the event reads the payout, if any: the table, or what this statement writes to it. */
  readonly payout?: 'payouts' | 'payout';
  /** An expression for whether this statement made the debit. */
  readonly isDebited?: string;
}

/**
 * The statement decides a deadline itself, by one clock that is read once and only when the row is
 * locked. All effects are of the row that moved, and in the same commit.
 */
export function statementOf(edge: Edge): string {
  const { from, only = 'true', set, guards, count, effects, payout, isDebited = 'false' } = edge;
  const event =
    payout === undefined
      ? { source: 'moved m', payout: 'null' }
      : { source: `moved m left join ${payout} p using (intent_id)`, payout: 'p.*::payouts' };
  const conditions = [IS_SAME_PAYMENT, ...guards].join('\n       and ');
  return `
  with clock as materialized (
    select service_now() as now
      from (select from payment_intents
             where intent_id = $intent_id and status = '${from}' and ${only}
               for no key update) as locked),
  ${count === undefined ? '' : `${count.by(conditions)},`}
  moved as (
    update payment_intents as i
       set ${set}
      from clock
     where i.intent_id = $intent_id and i.status = '${from}'
       and ${conditions}
       and ${count?.allows ?? 'true'}
    returning i.*),
  history as (
    insert into intent_transitions (intent_id, from_status, to_status, at, actor, reason,
                                    request_id)
    select m.intent_id, '${from}', m.status, clock.now,
           case m.status when 'expired' then 'system' else $actor end, $reason, $request_id
      from moved m, clock),${[...effects, ''].join(',')}
  event as (${writeEvent({ id: '$event_id', ...event }, DELIVERY_EXPECTED_WITHIN_SECONDS)})
  select m.status, (select event_id from event where state = 'pending') as "eventId",
         ${isDebited} as "isDebited"
    from moved m`;
}
