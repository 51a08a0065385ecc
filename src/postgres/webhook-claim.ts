// Takes a webhook event and a place at its endpoint (decision 19): one statement, both or neither, and a second one that
// says why there is nothing to take.
import { randomUUID } from 'node:crypto';
import type { EventId } from '../domain/ids';
import { WEBHOOK_LEASE_SECONDS } from '../domain/limits';
import type { WebhookClaim } from '../ports/webhook-store';
import type { SecretSeal } from '../signing/sealed-secret';
import type { Queryable } from './database';
import { toHolding, type HeldRow } from './webhook-rows';

/** Temporal's timer may ring some moments before the row's own instant. */
const EARLY_BY_AT_MOST_MS = 1_000;

export async function claimWebhook(
  database: Queryable,
  seal: SecretSeal,
  eventId: EventId,
): Promise<WebhookClaim> {
  const lease = randomUUID();
  const { rows } = await database.query<HeldRow>({
    name: 'claim-webhook',
    text: CLAIM,
    values: [eventId, lease],
  });
  const holding = toHolding(rows, lease, seal);
  return holding === undefined ? readRefusal(database, eventId) : { outcome: 'claimed', holding };
}

/**
 * Rows that others have locked are skipped: they are being taken. What was waited for would be judged by an old snapshot.
 * The lock is on the latest version of the row, and Postgres judges that one by the same conditions.
 */
const CLAIM = `
  with clock as materialized (
    select service_now() as now
  ),
  event as (
    select v.event_id, v.partner_id
      from webhook_events v, clock
     where v.event_id = $1 and v.state = 'owed'
       and v.due_at <= clock.now + interval '${String(EARLY_BY_AT_MOST_MS)} ms'
       and (v.leased_until is null or v.leased_until <= clock.now)
       for update of v skip locked
  ),
  place as (
    select p.partner_id, p.place
      from event v
      join webhook_endpoints e on e.partner_id = v.partner_id and e.disabled_at is null
      join webhook_places p on p.partner_id = v.partner_id
      join clock on p.leased_until <= clock.now
     limit 1
       for update of p skip locked
  ),
  taken as (
    update webhook_places p
       set lease = $2, leased_until = clock.now + interval '${String(WEBHOOK_LEASE_SECONDS)} s'
      from place, clock
     where p.partner_id = place.partner_id and p.place = place.place
    returning p.partner_id, p.place
  ),
  leased as (
    update webhook_events v
       set lease = $2, leased_until = clock.now + interval '${String(WEBHOOK_LEASE_SECONDS)} s'
      from event, taken, clock
     where v.event_id = event.event_id
    returning v.event_id, v.partner_id, v.body, v.attempts, v.attempts_replayed, taken.place
  )
  select l.*, e.url, e.secret_sealed,
         case when e.previous_until > clock.now then e.previous_secret_sealed end as previous_secret_sealed
    from leased l join webhook_endpoints e on e.partner_id = l.partner_id, clock`;

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
  if (row.leased_for_ms > 0) return { outcome: 'under_way', waitMs: row.leased_for_ms };
  if (row.due_in_ms <= EARLY_BY_AT_MOST_MS) return { outcome: 'busy', dueForMs: -row.due_in_ms };
  const { attempts, last_status: status, last_error: error } = row;
  const last = attempts === 0 ? null : { number: attempts, status, error };
  return { outcome: 'not_due', waitMs: row.due_in_ms, last };
}
