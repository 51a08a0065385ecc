// Writes webhook events and endpoints in the state that a test of `payctl webhooks` begins with.
import type { EventId } from '../../../src/domain/ids';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { WebhookState } from '../../../src/postgres/reports/webhook-story';
import { anEventId, anIntent, type TestBed } from '../../support/builders';
import type { TestPartner } from '../../support/payments/partner';

interface EventOptions {
  readonly state?: WebhookState;
  readonly type?: string;
  /** How many attempts are recorded, each a 503. */
  readonly attempts?: number;
  /** For how long a worker still holds the lease; negative if the lease is over. */
  readonly leasedForSeconds?: number;
}

/** Writes an event of a new intent of the partner, at the current time of the database. */
export async function anEvent(
  bed: TestBed,
  partner: TestPartner,
  options: EventOptions = {},
): Promise<EventId> {
  return anEventOf(bed, await anIntent(bed, partner), options);
}

/** The same for an existing intent. */
export async function anEventOf(
  { database }: Pick<TestBed, 'database'>,
  { intentId, partnerId }: Pick<PaymentIntent, 'intentId' | 'partnerId'>,
  options: EventOptions = {},
): Promise<EventId> {
  const { state = 'pending', type = 'captured', attempts = 0, leasedForSeconds = null } = options;
  const eventId = anEventId();
  await database.query({
    text: `insert into webhook_events
             (event_id, intent_id, partner_id, type, body, created_at, state, attempts,
              finished_at, due_at, check_at, lease, leased_until)
           select $1, $2, $3, 'payment_intent.' || $4, '{}', now, $5, $6,
                  case when $5 in ('delivered', 'exhausted') then now end,
                  case when $5 = 'pending' then now + interval '300 s' end,
                  case when $5 = 'pending' then now + interval '360 s' end,
                  case when $7::int is not null then 'a worker' end, now + make_interval(secs => $7)
             from (select service_now() as now) as clock`,
    values: [eventId, intentId, partnerId, type, state, attempts, leasedForSeconds],
  });
  await database.query({
    text: `insert into webhook_attempts
             (event_id, attempt, started_at, duration_ms, status, answer_excerpt)
           select $1, n, service_now(), 7, 503, 'what the partner answered'
             from generate_series(1, $2) as n`,
    values: [eventId, attempts],
  });
  return eventId;
}

let manyMade = 0;
/** Even a busy machine writes these within the statement timeout. */
const ROWS_PER_STATEMENT = 1_000;

/** Writes many events, each of its own intent, 1 ms apart. Their ids are increasing numbers. */
export async function manyEvents(
  bed: TestBed,
  partner: TestPartner,
  { state, count }: { readonly state: WebhookState; readonly count: number },
): Promise<void> {
  for (let left = count; left > 0; left -= ROWS_PER_STATEMENT) {
    await someEvents(bed, partner, { state, count: Math.min(left, ROWS_PER_STATEMENT) });
  }
}

async function someEvents(
  bed: TestBed,
  partner: TestPartner,
  { state, count }: { readonly state: WebhookState; readonly count: number },
): Promise<void> {
  const first = manyMade;
  manyMade += count;
  await bed.database.query({
    text: `with numbers as (
             select n, lpad((n + $4::int)::text, 26, '0') as digits
               from generate_series(1, $3::int) as n
           ),
           intents as (
             insert into payment_intents
               (intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, status,
                created_at, expires_at)
             select 'pi_' || digits, $1, 'u', 1, 'th_qrpay', 'created', service_now(),
                    service_now() + interval '1 h' from numbers
           )
           insert into webhook_events
             (event_id, intent_id, partner_id, type, body, created_at, state, due_at)
           select 'evt_' || digits, 'pi_' || digits, $1, 'payment_intent.captured', '{}',
                  service_now() + (n + $4) * interval '1 ms', $2,
                  case when $2 = 'pending' then service_now() end
             from numbers`,
    values: [partner.partnerId, state, count, first],
  });
}

/** The whole row of an event. */
export async function eventRow(
  { database }: Pick<TestBed, 'database'>,
  eventId: EventId,
): Promise<Record<string, unknown>> {
  const { rows } = await database.query<Record<string, unknown>>({
    text: `select * from webhook_events where event_id = $1`,
    values: [eventId],
  });
  if (rows[0] === undefined) throw new Error(`no row for ${eventId}`);
  return rows[0];
}

export async function endpointRow(
  bed: TestBed,
  { partnerId }: TestPartner,
): Promise<Record<string, unknown> & { readonly secret_sealed: Buffer }> {
  const { rows } = await bed.database.query<{ readonly secret_sealed: Buffer }>({
    text: `select * from webhook_endpoints where partner_id = $1`,
    values: [partnerId],
  });
  if (rows[0] === undefined) throw new Error(`no endpoint of ${partnerId}`);
  return rows[0];
}

/** Disables the endpoint as a worker or `payctl` does, but keeps its events. */
export async function disableEndpoint(bed: TestBed, { partnerId }: TestPartner): Promise<void> {
  await bed.database.query({
    text: `update webhook_endpoints
              set disabled_at = service_now(), disabled_reason = 'it answered 410 three times'
            where partner_id = $1`,
    values: [partnerId],
  });
}

/** The operators' actions on the partner since it was created, oldest first. */
export async function actionsOn(bed: TestBed, { partnerId }: TestPartner): Promise<unknown[]> {
  const { rows } = await bed.database.query({
    text: `select actor, action, event_id, events, reason, details from operator_actions
            where partner_id = $1 and action <> 'partners create' order by action_id`,
    values: [partnerId],
  });
  return rows;
}
