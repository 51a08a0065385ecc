// Port webhook-store over Postgres (decision 19): leases of webhook events. Attempts are recorded
// in finish.ts.
import { randomUUID } from 'node:crypto';
import type { EventId } from '../../domain/ids';
import { WEBHOOK_LEASE_SECONDS } from '../../domain/limits';
import { webhookSecretOwner } from '../../domain/webhooks/event';
import type {
  ClaimedWebhook,
  MadeAttempt,
  WaitingEndpoint,
  WebhookClaim,
  WebhookStore,
} from '../../ports/webhook-store';
import type { SecretSeal } from '../../signing/sealed-secret';
import { readRows, type Queryable } from '../database';
import { finishWebhook } from './finish';

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
