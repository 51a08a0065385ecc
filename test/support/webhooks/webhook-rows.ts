// Pending webhook events and their rows, for tests of claiming, sending and recording.
import type { EventId } from '../../../src/domain/ids';
import type { ClaimedWebhook } from '../../../src/ports/webhooks';
import { withDatabase, withPartner } from '../brackets';
import { anIntent, type TestBed } from '../builders';
import { NOON, secondsAfter } from '../clock';
import type { TestPartner } from '../payments/partner';
import { claimed, finish, recordAttempt, type AttemptOptions } from './webhooks';

export const TAKEN = { status: 200, result: 'delivered' } as const;

/** The pending event of a payment that has just failed. */
export async function aPendingEvent(bed: TestBed, partner: TestPartner): Promise<EventId> {
  const { intentId } = await anIntent(bed, partner, { status: 'failed' });
  const { eventId } = await bed.intents.readCurrentState(intentId);
  if (eventId === null) throw new Error('no event was written');
  return eventId;
}

export async function eventRow({ database }: TestBed, eventId: EventId) {
  const { rows } = await database.query<Record<string, unknown>>({
    text: `select state, attempts, finished_at, due_at, check_at, lease
             from webhook_events where event_id = $1`,
    values: [eventId],
  });
  return rows[0];
}

export async function disable({ database }: TestBed, { partnerId }: TestPartner): Promise<void> {
  await database.query({
    text: `update webhook_endpoints set disabled_at = service_now(), disabled_reason = 'test'
            where partner_id = $1`,
    values: [partnerId],
  });
}

/** The change of `payctl webhooks replay`. */
export async function replay({ database }: TestBed, eventId: EventId): Promise<void> {
  await database.query({
    text: `update webhook_events
              set state = 'pending', due_at = service_now(),
                  check_at = service_now() + interval '60 s', attempts_replayed = attempts,
                  finished_at = null, lease = null, leased_until = null
            where event_id = $1`,
    values: [eventId],
  });
}

/** A database at noon, a new partner for each test, and functions for its events. */
export function withWebhooks() {
  const bed = withDatabase();
  beforeEach(() => bed.setNow(NOON));
  const partner = withPartner(bed, { isPerTest: true });
  return {
    ...{ bed, partner },
    anEvent: () => aPendingEvent(bed, partner),
    eventRow: (eventId: EventId) => eventRow(bed, eventId),
    later: (seconds: number) => bed.setNow(secondsAfter(NOON, seconds)),
    claim: (eventId: EventId) => claimed(bed.webhooks, eventId),
    finish: (event: ClaimedWebhook, overrides: AttemptOptions) =>
      finish(bed.webhooks, event, overrides),
    record: (eventId: EventId, overrides: AttemptOptions) => recordAttempt(bed, eventId, overrides),
    disable: () => disable(bed, partner),
  };
}
