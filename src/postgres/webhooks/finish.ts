// Records one attempt to deliver a webhook event (decision 19), and the new state of the event and
// its endpoint.
import {
  WEBHOOK_EXPECTED_WITHIN_SECONDS,
  WEBHOOK_FAILING_DAYS_MAX,
  WEBHOOK_GONE_IN_A_ROW_MAX,
} from '../../domain/limits';
import type { ClaimedWebhook, WebhookAttempt } from '../../ports/webhook-store';
import { readRows, type Queryable } from '../database';

/** The reason why this attempt disables the endpoint `e`; null if it does not. */
const DISABLES = `
  case when $5 = 410 and e.gone_in_a_row + 1 >= ${String(WEBHOOK_GONE_IN_A_ROW_MAX)}
       then 'it answered 410 ' || e.gone_in_a_row + 1 || ' times in a row'
       when $8 <> 'delivered'
        and e.failing_since <= clock.now - interval '${String(WEBHOOK_FAILING_DAYS_MAX)} days'
       then 'it has accepted nothing since ' || rfc3339(e.failing_since) end`;

/**
 * An attempt to a URL that an operator has replaced meanwhile says nothing about the new one.
 *
 * A healthy endpoint's row is not written, so that its events do not wait for each other at its
 * lock. An answer other than 410 resets the count of consecutive 410 answers; an attempt without an
 * answer does not.
 */
const ENDPOINT = `
  endpoint as (
    update webhook_endpoints e
       set failing_since = case when $8 <> 'delivered'
                                then coalesce(e.failing_since, clock.now) end,
           gone_in_a_row = case when $5 = 410 then e.gone_in_a_row + 1
                                when $5 is null then e.gone_in_a_row else 0 end,
           disabled_reason = coalesce(e.disabled_reason, ${DISABLES}),
           disabled_at = coalesce(e.disabled_at,
                                  case when ${DISABLES} is not null then clock.now end)
      from clock
     where e.partner_id = $10 and e.url = $12 and ($8 <> 'delivered' or e.failing_since is not null)
    returning case when old.disabled_at is null then new.disabled_reason end as disabled_reason
  )`;

/**
 * A delivery counts even if another worker has the lease by now, unless operators replayed the
 * event since the claim. Any other result of an attempt that lost its lease changes only the number
 * of attempts. The endpoint's row is locked before the event's, in the same order as by `payctl
 * webhooks disable`.
 */
const EVENT = `
  event as (
    update webhook_events v
       set attempts = v.attempts + 1,
           lease = nullif(v.lease, $2),
           leased_until = case when v.lease = $2 then null else v.leased_until end,
           (state, finished_at, due_at, check_at) = (
             select n.state,
                    case when n.state in ('delivered', 'exhausted')
                         then coalesce(v.finished_at, clock.now) end,
                    case when n.state = 'pending' then coalesce(n.next_at, v.due_at) end,
                    case when n.state = 'pending' then coalesce(
                         n.next_at + interval '${String(WEBHOOK_EXPECTED_WITHIN_SECONDS)} s',
                         v.check_at) end
               from (select
                       case when $8 = 'delivered' and v.attempts_replayed = $11 then 'delivered'
                            when v.state <> 'pending' or v.lease is distinct from $2 then v.state
                            when $8 = 'exhausted' then 'exhausted'
                            when disabling.disabled_reason is not null then 'skipped'
                            else v.state end as state,
                       case when v.lease = $2
                            then clock.now + make_interval(secs => $9) end as next_at) as n)
      from clock, (select max(disabled_reason) as disabled_reason from endpoint) as disabling
     where v.event_id = $1
    returning v.event_id, v.attempts
  )`;

/**
 * $1 the event, $2 its lease; $3 when the attempt began, $4 how many milliseconds it took, $5 the
 * status, $6 the error, $7 the excerpt, $8 the result, $9 the seconds until the next attempt; $10
 * the partner, $11 the event's attempts_replayed and $12 the URL at the claim.
 */
const FINISH = `
  with clock as materialized (select service_now() as now),${ENDPOINT},${EVENT},
  attempt as (
    insert into webhook_attempts (event_id, attempt, started_at, duration_ms, status, error,
                                  answer_excerpt)
    select event_id, attempts, $3, $4, $5::integer, $6, $7 from event
  )
  select disabled_reason from endpoint`;

/** @returns why this attempt disabled the endpoint; null if it did not */
export async function finishWebhook(
  database: Queryable,
  { eventId, lease, partnerId, attemptsReplayed, url }: ClaimedWebhook,
  { startedAt, durationMs, status, error, answerExcerpt, result, retryInMs }: WebhookAttempt,
): Promise<string | null> {
  const [endpoint] = await readRows<{ readonly disabled_reason: string | null }>(database, {
    name: 'finish-webhook',
    text: FINISH,
    values: [
      ...[eventId, lease, startedAt, durationMs, status, error, answerExcerpt, result],
      retryInMs === null ? null : retryInMs / 1_000,
      ...[partnerId, attemptsReplayed, url],
    ],
  });
  return endpoint?.disabled_reason ?? null;
}
