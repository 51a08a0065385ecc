// The book of an endpoint (decision 19): since when it has taken nothing, how many 410 it has answered in a row, and what
// disables it.
import type { EventId } from '../../src/domain/ids';
import type { WebhookHolding } from '../../src/ports/webhook-store';
import { anIntent, openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import { anAttempt, claimed, recordAttempt, type AttemptWish } from '../support/webhooks';

const GONE: AttemptWish = { status: 410, result: 'given_up' };
const TAKEN: AttemptWish = { status: 200, result: 'delivered' };

const DAY_SECONDS = 86_400;

let bed: TestBed;
let partner: TestPartner;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(() => bed.close());
beforeEach(async () => {
  await bed.setNow(NOON);
  partner = await aPartner(bed);
});

async function anEvent(): Promise<EventId> {
  const { intentId } = await anIntent(bed, partner, { status: 'failed' });
  const { eventId } = await bed.intents.standing(intentId);
  if (eventId === null) throw new Error('no event was written');
  return eventId;
}

const later = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
const record = (eventId: EventId, wish: AttemptWish) => recordAttempt(bed, eventId, wish);
const finish = (holding: WebhookHolding, wish: AttemptWish, wanted = 0) =>
  bed.webhooks.finish(
    holding,
    holding.events.map((event) => anAttempt(event, wish)),
    wanted,
  );

async function eventRow(eventId: EventId) {
  const { rows } = await bed.database.query<Record<string, unknown>>({
    text: `select state, attempts, finished_at, due_at, check_at, lease from webhook_events where event_id = $1`,
    values: [eventId],
  });
  return rows[0];
}

async function endpointRow() {
  const { rows } = await bed.database.query<Record<string, unknown>>({
    text: `select failing_since, gone_in_a_row, disabled_at, disabled_reason from webhook_endpoints where partner_id = $1`,
    values: [partner.partnerId],
  });
  return rows[0];
}

describe('the book of an endpoint', () => {
  it('knows since when it has taken nothing, and forgets it when it takes something', async () => {
    const [first, second] = [await anEvent(), await anEvent()];
    await record(first, { status: 500 });
    await later(30);
    await record(second, { error: 'connection refused' });
    await expect(endpointRow()).resolves.toMatchObject({ failing_since: NOON });
    await record(first, TAKEN);
    await expect(endpointRow()).resolves.toMatchObject({ failing_since: null });
  });

  it('is not written while all is well', async () => {
    const versionOf = async () => {
      const { rows } = await bed.database.query<{ readonly xmin: string }>({
        text: 'select xmin::text from webhook_endpoints where partner_id = $1',
        values: [partner.partnerId],
      });
      return rows[0]?.xmin;
    };
    const before = await versionOf();
    for (const eventId of await times(3, anEvent)) await record(eventId, TAKEN);
    expect(await versionOf()).toBe(before);
  });

  it('counts 410 in a row: any other answer ends the row, no answer does not', async () => {
    const gone = async () => (await endpointRow())?.['gone_in_a_row'];
    await record(await anEvent(), GONE);
    await record(await anEvent(), GONE);
    await record(await anEvent(), { error: 'timeout after 15 s' });
    expect(await gone()).toBe(2);
    await record(await anEvent(), { status: 500 });
    expect(await gone()).toBe(0);
    await record(await anEvent(), GONE);
    await record(await anEvent(), TAKEN);
    expect(await gone()).toBe(0);
  });
});

describe('an endpoint is disabled', () => {
  it('by the third 410 in a row, and says why', async () => {
    const events = await times(3, anEvent);
    const told: (string | null)[] = [];
    for (const eventId of events) told.push((await record(eventId, GONE)).disabledReason);
    const reason = 'it answered 410 3 times in a row';
    expect(told).toEqual([null, null, reason]);
    await expect(endpointRow()).resolves.toMatchObject({
      disabled_at: NOON,
      disabled_reason: reason,
    });
  });

  it('once it has taken nothing for five days, and not before', async () => {
    const [first, second] = [await anEvent(), await anEvent()];
    await record(first, { status: 500 });
    await later(5 * DAY_SECONDS - 0.001);
    await expect(record(second, { status: 500 })).resolves.toMatchObject({ disabledReason: null });
    await later(5 * DAY_SECONDS);
    await expect(record(first, { status: 500 })).resolves.toMatchObject({
      disabledReason: 'it has taken nothing since 2026-03-02T12:00:00.000Z',
    });
    await expect(eventRow(first)).resolves.toMatchObject({
      ...{ state: 'missed', attempts: 2, due_at: null, check_at: null, finished_at: null },
    });
    await expect(bed.webhooks.claim(second)).resolves.toEqual({ outcome: 'done' });
  });

  it('while others hold places and events of it: what they meet is told, and they get no more', async () => {
    const [first, second, third] = await times(3, anEvent);
    const held = await claimed(bed.webhooks, first ?? ('none' as never));
    const other = await claimed(bed.webhooks, second ?? ('none' as never));
    await bed.database.query({
      text: `update webhook_endpoints set disabled_at = service_now(), disabled_reason = 'test' where partner_id = $1`,
      values: [partner.partnerId],
    });
    await bed.sweep.missEvents(10);
    await later(10);
    await expect(finish(held, TAKEN, 8)).resolves.toEqual({
      next: undefined,
      disabledReason: null,
    });
    await expect(finish(other, { status: 500 }, 8)).resolves.toMatchObject({ next: undefined });
    const states = await Promise.all(
      [first, second, third].map((id) => eventRow(id ?? ('none' as never))),
    );
    expect(states).toMatchObject([
      { state: 'delivered' },
      { state: 'missed', attempts: 1 },
      { state: 'missed', attempts: 0 },
    ]);
  });
});
