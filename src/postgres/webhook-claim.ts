// Takes leases of webhook events (decision 19): of one event, or of those of an endpoint that the poller sends.
import { randomUUID } from 'node:crypto';
import type { EventId, PartnerId } from '../domain/ids';
import { WEBHOOK_LEASE_SECONDS } from '../domain/limits';
import type { ClaimedWebhook, WaitingEndpoint, WebhookClaim } from '../ports/webhook-store';
import type { SecretSeal } from '../signing/sealed-secret';
import type { Queryable } from './database';
import { knownEventId, knownIntentId, knownPartnerId } from './intent-row';

interface ClaimedRow {
  readonly event_id: string;
  readonly intent_id: string;
  readonly partner_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly attempts_replayed: number;
  readonly url: string;
  readonly secret_sealed: Buffer;
  /** Null once the rotation is over. */
  readonly previous_secret_sealed: Buffer | null;
}

/** What the secret of a partner's webhooks is sealed for. */
export function webhookSecretOwner(partnerId: string): string {
  return `webhook:${partnerId}`;
}

/** Temporal's timer may ring some moments before the row's own instant. */
const EARLY_BY_AT_MOST_MS = 1_000;

/** Of an event `v`, by a `clock`: no lease of it is valid. */
const IS_FREE = `(v.leased_until is null or v.leased_until <= clock.now)`;

/** Leases the rows of `free` under $2. Rows that another transaction has locked are being taken: `free` skips them. */
const LEASED = `
  leased as (
    update webhook_events v
       set lease = $2, leased_until = clock.now + interval '${String(WEBHOOK_LEASE_SECONDS)} s'
      from free, clock
     where v.event_id = free.event_id
    returning v.event_id, v.intent_id, v.partner_id, v.body, v.attempts, v.attempts_replayed, v.due_at
  )
  select l.*, e.url, e.secret_sealed,
         case when e.previous_until > clock.now then e.previous_secret_sealed end as previous_secret_sealed
    from leased l join webhook_endpoints e on e.partner_id = l.partner_id, clock
   order by l.due_at`;

const CLAIM = `
  with clock as materialized (
    select service_now() as now
  ),
  free as (
    select v.event_id
      from webhook_events v
      join webhook_endpoints e on e.partner_id = v.partner_id and e.disabled_at is null, clock
     where v.event_id = $1 and v.state = 'owed'
       and v.due_at <= clock.now + interval '${String(EARLY_BY_AT_MOST_MS)} ms'
       and ${IS_FREE}
       for update of v skip locked
  ),${LEASED}`;

/** Of an event `v`: it is due, nobody sends it, and nobody else is expected to. */
const IS_WAITING = `v.state = 'owed' and v.due_at <= clock.now and v.check_at <= clock.now and ${IS_FREE}`;

const CLAIM_WAITING = `
  with clock as materialized (
    select service_now() as now
  ),
  free as (
    select v.event_id
      from webhook_events v
      join webhook_endpoints e on e.partner_id = v.partner_id and e.disabled_at is null, clock
     where v.partner_id = $1 and ${IS_WAITING}
     order by v.due_at limit $3
       for update of v skip locked
  ),${LEASED}`;

/**
 * Partners with pending events are found by skipping through the index, one step each, however long the queue of any is.
 */
const READ_WAITING = `
  with recursive clock as materialized (
    select service_now() as now
  ),
  pending as (
    (select partner_id from webhook_events where state = 'owed' order by partner_id limit 1)
    union all
    select (select v.partner_id from webhook_events v
             where v.state = 'owed' and v.partner_id > p.partner_id order by v.partner_id limit 1)
      from pending p where p.partner_id is not null
  )
  select p.partner_id, e.failing_since is not null as is_failing
    from clock, pending p
    join webhook_endpoints e on e.partner_id = p.partner_id and e.disabled_at is null
   where exists (select from webhook_events v where v.partner_id = p.partner_id and ${IS_WAITING})
   order by random() limit 100`;

export async function claimWebhook(
  database: Queryable,
  seal: SecretSeal,
  eventId: EventId,
): Promise<WebhookClaim> {
  const lease = randomUUID();
  const { rows } = await database.query<ClaimedRow>({
    name: 'claim-webhook',
    text: CLAIM,
    values: [eventId, lease],
  });
  const [row] = rows;
  if (row === undefined) return readRefusal(database, eventId);
  return { outcome: 'claimed', event: toClaimed(row, lease, seal) };
}

export async function claimWaitingWebhooks(
  database: Queryable,
  seal: SecretSeal,
  { partnerId, limit }: { readonly partnerId: PartnerId; readonly limit: number },
): Promise<readonly ClaimedWebhook[]> {
  const lease = randomUUID();
  const { rows } = await database.query<ClaimedRow>({
    name: 'claim-waiting-webhooks',
    text: CLAIM_WAITING,
    values: [partnerId, lease, limit],
  });
  return rows.map((row) => toClaimed(row, lease, seal));
}

export async function readWaitingEndpoints(
  database: Queryable,
): Promise<readonly WaitingEndpoint[]> {
  const { rows } = await database.query<{
    readonly partner_id: string;
    readonly is_failing: boolean;
  }>({ name: 'read-waiting-endpoints', text: READ_WAITING });
  return rows.map(({ partner_id, is_failing }) => ({
    partnerId: knownPartnerId(partner_id),
    isFailing: is_failing,
  }));
}

function toClaimed(row: ClaimedRow, lease: string, seal: SecretSeal): ClaimedWebhook {
  const sealed = [row.secret_sealed, row.previous_secret_sealed].filter((bytes) => bytes !== null);
  return {
    eventId: knownEventId(row.event_id),
    intentId: knownIntentId(row.intent_id),
    partnerId: knownPartnerId(row.partner_id),
    body: row.body,
    attempts: row.attempts,
    attemptsReplayed: row.attempts_replayed,
    url: row.url,
    secrets: sealed.map((bytes) => seal.open(bytes, webhookSecretOwner(row.partner_id))),
    lease,
  };
}

interface RefusalRow {
  readonly is_owed: boolean;
  readonly due_in_ms: number;
  readonly leased_for_ms: number;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

async function readRefusal(database: Queryable, eventId: EventId): Promise<WebhookClaim> {
  const { rows } = await database.query<RefusalRow>({
    name: 'why-webhook-not-claimed',
    text: `select v.state = 'owed' and e.partner_id is not null and e.disabled_at is null as is_owed,
                  coalesce(ceil(extract(epoch from v.due_at - clock.now) * 1000), 0)::bigint as due_in_ms,
                  coalesce(ceil(extract(epoch from v.leased_until - clock.now) * 1000), 0)::bigint as leased_for_ms,
                  v.attempts - v.attempts_replayed as attempts, a.status as last_status, a.error as last_error
             from (select service_now() as now) as clock, webhook_events v
             left join webhook_endpoints e on e.partner_id = v.partner_id
             left join webhook_attempts a on a.event_id = v.event_id and a.attempt = v.attempts
            where v.event_id = $1`,
    values: [eventId],
  });
  return rows[0] === undefined ? { outcome: 'done' } : toRefusal(rows[0]);
}

function toRefusal(row: RefusalRow): WebhookClaim {
  if (!row.is_owed) return { outcome: 'done' };
  // Free, due and not claimed: another worker has locked the row at this moment.
  const isTaken = row.leased_for_ms > 0 || row.due_in_ms <= EARLY_BY_AT_MOST_MS;
  if (isTaken) return { outcome: 'under_way', waitMs: Math.max(0, row.leased_for_ms) };
  const { attempts, last_status: status, last_error: error } = row;
  const last = attempts === 0 ? null : { number: attempts, status, error };
  return { outcome: 'not_due', waitMs: row.due_in_ms, last };
}
