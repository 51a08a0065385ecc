// Records attempts of one holding (decision 19): what they leave the events and the endpoint in, and what goes out next from
// the same place. One statement.
import {
  WEBHOOK_FAILING_DAYS_MAX,
  WEBHOOK_GONE_IN_A_ROW_MAX,
  WEBHOOK_LEASE_SECONDS,
  WEBHOOK_LEFT_ALONE_SECONDS,
} from '../domain/limits';
import type { WebhookAttempt, WebhookFinish, WebhookHolding } from '../ports/webhook-store';
import type { SecretSeal } from '../signing/sealed-secret';
import type { Queryable } from './database';
import { toHolding, type HeldRow } from './webhook-rows';

/** Past its time by this, somebody makes sure that the next attempt is coming. */
const ATTEMPT_EXPECTED_WITHIN_SECONDS = 60;

interface Finishing {
  readonly holding: WebhookHolding;
  readonly attempts: readonly WebhookAttempt[];
  readonly wanted: number;
}

type FinishedRow = { readonly disabled_reason: string | null } & (
  HeldRow | { readonly event_id: null }
);

export async function finishWebhooks(
  database: Queryable,
  seal: SecretSeal,
  { holding, attempts, wanted }: Finishing,
): Promise<WebhookFinish> {
  const { lease, partnerId, place, events } = holding;
  const unsent = events.filter((event) => !attempts.some((made) => made.event === event));
  const book = bookOf(attempts);
  const { rows } = await database.query<FinishedRow>({
    name: 'finish-webhooks',
    text: FINISH,
    values: [
      lease,
      partnerId,
      place,
      JSON.stringify(attempts.map(toResult)),
      unsent.map(({ eventId }) => eventId),
      wanted,
      book.isFailing,
      book.isTaken,
      book.isAnsweredOtherwise,
      book.gone,
    ],
  });
  const next = rows.filter((row) => row.event_id !== null);
  return {
    next: toHolding(next, lease, seal),
    disabledReason: rows[0]?.disabled_reason ?? null,
  };
}

function toResult(attempt: WebhookAttempt) {
  return {
    event_id: attempt.event.eventId,
    attempts_replayed: attempt.event.attemptsReplayed,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    status: attempt.status,
    error: attempt.error,
    answer_excerpt: attempt.answerExcerpt,
    result: attempt.result,
    retry_in_seconds: attempt.retryInMs === null ? null : attempt.retryInMs / 1_000,
  };
}

const GONE = 410;

/** What attempts in a row say of their endpoint. No answer neither continues nor ends a row of 410. */
function bookOf(attempts: readonly WebhookAttempt[]) {
  const answered = attempts.filter(({ status }) => status !== null);
  const lastOther = answered.findLastIndex(({ status }) => status !== GONE);
  const last = attempts.at(-1);
  return {
    /** Null when nothing was sent. */
    isFailing: last === undefined ? null : last.result !== 'delivered',
    isTaken: attempts.some(({ result }) => result === 'delivered'),
    isAnsweredOtherwise: lastOther >= 0,
    /** How many 410 it ended with. */
    gone: answered.length - 1 - lastOther,
  };
}

/**
 * What was delivered stays delivered, and what was given up is not taken up again by an attempt that was frozen on its way
 * and reports when its lease is another's. Only a delivery that did happen is told as one, unless operations have had the
 * event sent again since. A healthy endpoint's row is not written, so that it does not become the lock of all its events.
 * A disabled endpoint's other events become `missed` by the sweep, in bounded batches.
 */
const FINISH = `
  with clock as materialized (
    select service_now() as now
  ),
  result as materialized (
    select * from json_to_recordset($4) as r (
      event_id text, attempts_replayed integer, started_at timestamptz, duration_ms integer, status integer,
      error text, answer_excerpt text, result text, retry_in_seconds float8)
  ),
  endpoint as (
    update webhook_endpoints e
       set (failing_since, gone_in_a_row, disabled_at, disabled_reason) = (
             select n.failing_since, n.gone, case when n.reason is null then e.disabled_at else clock.now end,
                    coalesce(n.reason, e.disabled_reason)
               from (select b.*,
                            case when e.disabled_at is not null then null
                                 when b.gone >= ${String(WEBHOOK_GONE_IN_A_ROW_MAX)}
                                 then 'it answered 410 ' || b.gone || ' times in a row'
                                 when b.failing_since <= clock.now - interval '${String(WEBHOOK_FAILING_DAYS_MAX)} days'
                                 then 'it has taken nothing since ' || rfc3339(b.failing_since) end as reason
                       from (select case when not $7 then null
                                         when $8 then clock.now
                                         else coalesce(e.failing_since, clock.now) end as failing_since,
                                    case when $9 then 0 else e.gone_in_a_row end + $10::int as gone) as b) as n)
      from clock
     where e.partner_id = $2
       and (($7 and $8)
            or (e.failing_since is not null) <> $7
            or ($7 and e.failing_since <= clock.now - interval '${String(WEBHOOK_FAILING_DAYS_MAX)} days')
            or (e.gone_in_a_row > 0 and $9)
            or $10::int > 0)
    returning case when old.disabled_at is null then new.disabled_reason end as disabled_reason
  ),
  event as (
    update webhook_events v
       set attempts = v.attempts + 1,
           lease = nullif(v.lease, $1),
           leased_until = case when v.lease = $1 then null else v.leased_until end,
           (state, finished_at, due_at, check_at) = (
             select n.state,
                    case when n.state in ('delivered', 'given_up') then coalesce(v.finished_at, clock.now) end,
                    case when n.state = 'owed' then n.due_at end,
                    case when n.state <> 'owed' then null
                         when n.due_at = v.due_at then v.check_at
                         else n.due_at + interval '${String(ATTEMPT_EXPECTED_WITHIN_SECONDS)} s' end
               from (select case when r.result = 'delivered' and v.attempts_replayed = r.attempts_replayed then 'delivered'
                                 when v.state <> 'owed' or v.lease is distinct from $1 then v.state
                                 when r.result = 'given_up' then 'given_up'
                                 when exists (select from endpoint where disabled_reason is not null) then 'missed'
                                 else v.state end as state,
                            case when v.lease = $1 then clock.now + make_interval(secs => r.retry_in_seconds)
                                 else v.due_at end as due_at) as n)
      from result r, clock
     where v.event_id = r.event_id
    returning v.event_id, v.attempts
  ),
  attempt as (
    insert into webhook_attempts (event_id, attempt, started_at, duration_ms, status, error, answer_excerpt)
    select v.event_id, v.attempts, r.started_at, r.duration_ms, r.status, r.error, r.answer_excerpt
      from event v join result r on r.event_id = v.event_id
  ),
  unsent as (
    update webhook_events v set lease = null, leased_until = null where v.event_id = any ($5) and v.lease = $1
  ),
  place as (
    select p.partner_id from webhook_places p where p.partner_id = $2 and p.place = $3 and p.lease = $1
       for update
  ),
  further as (
    select v.event_id
      from clock, place p
      join webhook_endpoints e on e.partner_id = p.partner_id and e.disabled_at is null
      join webhook_events v on v.partner_id = p.partner_id and v.state = 'owed'
     where v.due_at <= clock.now - interval '${String(WEBHOOK_LEFT_ALONE_SECONDS)} s'
       and (v.leased_until is null or v.leased_until <= clock.now)
       and v.event_id <> all ($5)
       and v.event_id not in (select r.event_id from result r)
       and not exists (select from endpoint where disabled_reason is not null)
     order by v.due_at
     limit $6
       for update of v skip locked
  ),
  kept as (
    update webhook_places p
       set lease = case when f.is_wanted then $1 end,
           leased_until = case when f.is_wanted then clock.now + interval '${String(WEBHOOK_LEASE_SECONDS)} s'
                               else '-infinity' end
      from clock, place, (select exists (select from further) as is_wanted) as f
     where p.partner_id = place.partner_id and p.place = $3
  ),
  leased as (
    update webhook_events v
       set lease = $1, leased_until = clock.now + interval '${String(WEBHOOK_LEASE_SECONDS)} s'
      from further f, clock
     where v.event_id = f.event_id
    returning v.event_id, v.partner_id, v.body, v.attempts, v.attempts_replayed
  )
  select d.disabled_reason, h.*
    from (select (select disabled_reason from endpoint)) as d
    left join (
      select l.*, $3::int as place, e.url, e.secret_sealed,
             case when e.previous_until > clock.now then e.previous_secret_sealed end as previous_secret_sealed
        from leased l join webhook_endpoints e on e.partner_id = l.partner_id, clock) as h on true`;
