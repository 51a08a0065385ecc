// Port `WebhookStore` over Postgres (decision 19): leases of webhook events, and records of
// attempts.
import { randomUUID } from 'node:crypto';
import type { EventId } from '../../domain/ids';
import {
  WEBHOOK_LEASE_SECONDS,
  WEBHOOK_EXPECTED_WITHIN_SECONDS,
  WEBHOOK_FAILING_DAYS_MAX,
  WEBHOOK_GONE_FOR_SECONDS,
  WEBHOOK_GONE_IN_A_ROW_MAX,
} from '../../domain/limits';
import { webhookSecretOwner } from '../../domain/webhooks/event';
import type {
  ClaimedWebhook,
  MadeAttempt,
  WaitingEndpoint,
  WebhookClaim,
  WebhookStore,
  WebhookAttempt,
} from '../../ports/webhooks';
import type { SecretSeal } from '../../signing/sealed-secret';
import { readRows, type Queryable } from '../database';

export function createWebhookStore(database: Queryable, seal: SecretSeal): WebhookStore {
  const claim = async (name: string, condition: string, id: string) => {
    const lease = randomUUID();
    const statement = { name, text: claimStatement(condition), values: [id, lease] };
    const [row] = await readRows<ClaimedRow>(database, statement);
    if (row === undefined) return undefined;
    const { sealed, ...event } = row;
    const owner = webhookSecretOwner(event.partnerId);
    return { ...event, lease, secrets: sealed.map((secret) => seal.open(secret, owner)) };
  };
  return {
    async claim(eventId) {
      const event = await claim('claim-webhook', IS_DUE_BY_ID, eventId);
      if (event === undefined) return readWhyNotClaimed(database, eventId);
      return { outcome: 'claimed', event };
    },
    claimWaiting: (partnerId) =>
      claim('claim-waiting-webhook', `v.partner_id = $1 and ${IS_WAITING}`, partnerId),
    /** The statement reads one index entry for each endpoint, however many events are pending. */
    readWaiting: () =>
      readRows<WaitingEndpoint>(database, {
        name: 'read-waiting-endpoints',
        text: `with ${CLOCK}
               select e.partner_id as "partnerId", e.failing_since is not null as "isFailing"
                 from webhook_endpoints e, clock
                where e.disabled_at is null
                  and (select true from webhook_events v
                        where v.partner_id = e.partner_id and ${IS_WAITING} limit 1)
                order by random() limit 100`,
      }),
    async leaveToPoller(eventId) {
      await database.query({
        name: 'leave-webhook-to-poller',
        text: `update webhook_events set check_at = service_now()
                where event_id = $1 and state = 'pending'
                  and due_at <= service_now() and check_at > service_now()`,
        values: [eventId],
      });
    },
    finish: (event, attempt) => finishWebhook(database, event, attempt),
  };
}

interface ClaimedRow extends Omit<ClaimedWebhook, 'lease' | 'secrets'> {
  /** The secret, and during a rotation the one before it. */
  readonly sealed: readonly Buffer[];
}

/** Temporal's timer may fire slightly before the time in the row. */
const EARLY_BY_AT_MOST_MS = 1_000;

/** The time of a statement, which is read once. */
const CLOCK = 'clock as materialized (select service_now() as now)';
/** Whether an event `v` is pending and has no valid lease. */
const IS_FREE = `v.state = 'pending' and (v.leased_until is null or v.leased_until <= clock.now)`;
/** Whether it is also due, and its payment's workflow is not expected to send it. */
const IS_WAITING = `${IS_FREE} and v.due_at <= clock.now and v.check_at <= clock.now`;
const IS_DUE_BY_ID = `v.event_id = $1 and ${IS_FREE}
           and v.due_at <= clock.now + interval '${String(EARLY_BY_AT_MOST_MS)} ms'`;

/**
 * Leases the first of the matching events under $2. A row that another transaction has locked is
 * being claimed there, so it is skipped.
 */
function claimStatement(condition: string): string {
  return `
    with ${CLOCK},
    free as (
      select v.event_id, e.url,
             array[e.secret_sealed] || case when e.previous_until > clock.now
                                            then array[e.previous_secret_sealed] end as sealed
        from webhook_events v
        join webhook_endpoints e on e.partner_id = v.partner_id and e.disabled_at is null, clock
       where ${condition}
       order by v.due_at limit 1
         for update of v skip locked
    )
    update webhook_events v
       set lease = $2, leased_until = clock.now + interval '${String(WEBHOOK_LEASE_SECONDS)} s'
      from free, clock
     where v.event_id = free.event_id
    returning v.event_id as "eventId", v.intent_id as "intentId", v.partner_id as "partnerId",
              v.body, v.attempts, v.attempts_replayed as "attemptsReplayed", free.url, free.sealed`;
}

async function readWhyNotClaimed(database: Queryable, eventId: EventId): Promise<WebhookClaim> {
  const [row] = await readRows<MadeAttempt & { readonly due_in_ms: number }>(database, {
    name: 'why-webhook-not-claimed',
    text: `with ${CLOCK}
           select ceil(extract(epoch from v.due_at - clock.now) * 1000)::bigint as due_in_ms,
                  v.attempts - v.attempts_replayed as number, a.status, a.error
             from clock, webhook_events v
             join webhook_endpoints e on e.partner_id = v.partner_id and e.disabled_at is null
             left join webhook_attempts a on a.event_id = v.event_id and a.attempt = v.attempts
            where v.event_id = $1 and v.state = 'pending'`,
    values: [eventId],
  });
  if (row === undefined) return { outcome: 'done' };
  const { due_in_ms: waitMs, ...last } = row;
  // An event that is due but was not claimed is leased, or another worker has locked its row.
  if (waitMs <= EARLY_BY_AT_MOST_MS) return { outcome: 'under_way' };
  return { outcome: 'not_due', waitMs, last };
}

// Records one attempt to deliver a webhook event, and the new state of the event and
// its endpoint.

/** The reason why this attempt disables the endpoint `e`; null if it does not. */
const DISABLES = `
  case when $5 = 410 and e.gone_in_a_row + 1 >= ${String(WEBHOOK_GONE_IN_A_ROW_MAX)}
        and e.gone_since <= clock.now - interval '${String(WEBHOOK_GONE_FOR_SECONDS)} s'
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
           gone_since = case when $5 = 410 then coalesce(e.gone_since, clock.now)
                             when $5 is null then e.gone_since end,
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
async function finishWebhook(
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
