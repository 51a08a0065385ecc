// What the holder of a place is given after its own event (decision 19): what has waited longest at the same endpoint, and
// more places where there is a backlog.
import type { EventId } from '../../src/domain/ids';
import type { WebhookDelivery } from '../../src/ports/webhook-store';
import { openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import { anAttempt, claimed, finish, recordAttempt, type Claimed } from '../support/webhooks';
import * as books from '../support/webhook-books';
import { TAKEN } from '../support/webhook-books';

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

const anEvent = () => books.anOwedEvent(bed, partner);
const claim = (eventId: EventId) => claimed(bed.webhooks, eventId);
const later = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
const idsOf = (events: readonly WebhookDelivery[]) => events.map(({ eventId }) => eventId).sort();
const places = () => books.takenPlaces(bed, partner);

describe('the holder of a place', () => {
  it('gets the events that have waited longest, and then the next ones', async () => {
    const own = await claim(await anEvent());
    const waiting: EventId[] = [];
    for (const second of [1, 2, 3]) {
      await later(second);
      waiting.push(await anEvent());
    }
    await later(10);
    const next = await finish(bed.webhooks, own, { ...TAKEN, wanted: 2 });
    expect(idsOf(next.events)).toEqual(waiting.slice(0, 2).sort());
    const attempts = next.events.map((event) => anAttempt(event, TAKEN));
    const record = { attempts, unsent: [], wanted: 2, isLast: true };
    const last = await bed.webhooks.finish(own.holding, record);
    expect(idsOf(last.events)).toEqual(waiting.slice(2));
    await expect(places()).resolves.toEqual([own.holding.lease]);
  });

  it('keeps it until it says that nothing of its is under way', async () => {
    const { holding, event } = await claim(await anEvent());
    const attempts = [anAttempt(event, TAKEN)];
    await bed.webhooks.finish(holding, { attempts, unsent: [], wanted: 8, isLast: false });
    await expect(places()).resolves.toHaveLength(1);
    await bed.webhooks.finish(holding, { attempts: [], unsent: [], wanted: 8, isLast: true });
    await expect(places()).resolves.toEqual([]);
  });

  it('gets no event that is not due, that another sends, or that its own run has just been given', async () => {
    const own = await claim(await anEvent());
    await recordAttempt(bed, await anEvent(), { status: 500, retryInMs: 300_000 });
    await claim(await anEvent());
    await later(10);
    await anEvent();
    await later(11.999);
    const wanted = { ...TAKEN, wanted: 8 };
    await expect(finish(bed.webhooks, own, wanted)).resolves.toMatchObject({ events: [] });
  });

  it.each([
    ['address', `url = url || '/new'`],
    ['secret', `secret_sealed = secret_sealed || 'x'::bytea`],
    ['old secret’s end', `previous_secret_sealed = 'x', previous_until = service_now()`],
  ])('gets nothing further once operations have changed the %s', async (_what, change) => {
    const own = await claim(await anEvent());
    await times(20, anEvent);
    await later(10);
    const text = `update webhook_endpoints set ${change} where partner_id = $1`;
    await bed.database.query({ text, values: [partner.partnerId] });
    await expect(bed.webhooks.takePlaces(own.holding, 15)).resolves.toBe(0);
    const next = await finish(bed.webhooks, own, { ...TAKEN, wanted: 8 });
    expect(next.events).toEqual([]);
    await expect(places()).resolves.toEqual([]);
  });

  it('gives back what it has not sent', async () => {
    const own = await claim(await anEvent());
    await times(2, anEvent);
    await later(10);
    const { events } = await finish(bed.webhooks, own, { ...TAKEN, wanted: 8 });
    const [sent, unsent] = events;
    if (sent === undefined || unsent === undefined) throw new Error('two were to be taken');
    const record = {
      attempts: [anAttempt(sent, TAKEN)],
      unsent: [unsent],
      wanted: 0,
      isLast: true,
    };
    await bed.webhooks.finish(own.holding, record);
    await expect(claim(unsent.eventId)).resolves.toMatchObject({ event: { attempts: 0 } });
  });
});

describe('a backlog', () => {
  it('is sent from as many more places as are free and asked for, one for each chunk of it', async () => {
    const { holding } = await claim(await anEvent());
    await times(40, anEvent);
    await later(10);
    await expect(bed.webhooks.takePlaces(holding, 2)).resolves.toBe(2);
    await expect(places()).resolves.toEqual(Array.from({ length: 3 }, () => holding.lease));
    await expect(bed.webhooks.takePlaces(holding, 15)).resolves.toBe(3);
    const another = await claim(await anEvent());
    await bed.database.query({
      text: `update webhook_places set lease = $2, leased_until = service_now() + interval '1 minute'
              where partner_id = $1 and place in (
                    select place from webhook_places where partner_id = $1 and lease is null limit 7)`,
      values: [partner.partnerId, another.holding.lease],
    });
    await expect(bed.webhooks.takePlaces(holding, 15)).resolves.toBe(2);
    const held = await places();
    expect(held.filter((lease) => lease === holding.lease)).toHaveLength(8);
    expect(held.filter((lease) => lease === another.holding.lease)).toHaveLength(8);
  });

  it('that somebody leased, and left when the lease ran out, is no reason to take further places', async () => {
    const { holding } = await claim(await anEvent());
    await times(40, anEvent);
    await later(10);
    await bed.database.query({
      text: `update webhook_events set lease = 'gone', leased_until = service_now() - interval '1 second'
              where partner_id = $1 and lease is null`,
      values: [partner.partnerId],
    });
    await expect(bed.webhooks.takePlaces(holding, 15)).resolves.toBe(0);
  });

  it('takes no further place when there is nothing to send from it', async () => {
    const { holding } = await claim(await anEvent());
    await expect(bed.webhooks.takePlaces(holding, 15)).resolves.toBe(0);
    await expect(places()).resolves.toHaveLength(1);
  });

  it('of a disabled endpoint is left alone', async () => {
    const { holding } = await claim(await anEvent());
    await times(3, anEvent);
    await later(10);
    await books.disable(bed, partner);
    await expect(bed.webhooks.takePlaces(holding, 15)).resolves.toBe(0);
  });

  it('is shared by those who ask together, each event once, all places freed in the end', async () => {
    const own: Claimed[] = [];
    for (const eventId of await times(3, anEvent)) own.push(await claim(eventId));
    const waiting = await times(20, anEvent);
    await later(10);
    const first = own.map((one) => finish(bed.webhooks, one, { ...TAKEN, wanted: 8 }));
    const given = await Promise.all(first);
    expect(given.map(({ events }) => events.length).sort()).toEqual([4, 8, 8]);
    expect(idsOf(given.flatMap(({ events }) => events))).toEqual(waiting.sort());
    const last = own.map(({ holding }, nth) => {
      const attempts = given[nth]?.events.map((event) => anAttempt(event, TAKEN)) ?? [];
      return bed.webhooks.finish(holding, { attempts, unsent: [], wanted: 8, isLast: true });
    });
    await Promise.all(last);
    await expect(places()).resolves.toEqual([]);
    const states = await Promise.all(waiting.map((eventId) => books.eventRow(bed, eventId)));
    expect(new Set(states.map((row) => row?.['state']))).toEqual(new Set(['delivered']));
  });
});

describe('attempts that are recorded together', () => {
  it('are each told, also two of one event', async () => {
    const eventId = await anEvent();
    const late = await claim(eventId);
    await later(60);
    const other = await claim(eventId);
    await Promise.all([
      finish(bed.webhooks, late, { status: 500 }),
      finish(bed.webhooks, other, TAKEN),
    ]);
    await expect(books.eventRow(bed, eventId)).resolves.toMatchObject({
      ...{ state: 'delivered', attempts: 2 },
    });
  });

  it('do not fail for one whose row another holds: operations, who disable its endpoint', async () => {
    const held = await claim(await anEvent());
    const free = await claim(await anEvent());
    await bed.database.inTransaction(async (connection) => {
      const text = 'select from webhook_events where event_id = $1 for update';
      await connection.query({ text, values: [held.event.eventId] });
      const records = [held, free].map((one) => finish(bed.webhooks, one, TAKEN));
      await expect(Promise.allSettled(records)).resolves.toMatchObject([
        { status: 'rejected', reason: { code: 'unavailable' } },
        { status: 'fulfilled' },
      ]);
    });
    await expect(books.eventRow(bed, free.event.eventId)).resolves.toMatchObject({
      ...{ state: 'delivered', attempts: 1 },
    });
  });

  it('do not fail for one that cannot be recorded', async () => {
    const claims = [await claim(await anEvent()), await claim(await anEvent())] as const;
    const bad = finish(bed.webhooks, claims[0], { status: 500, answerExcerpt: 'NUL \0' });
    const good = finish(bed.webhooks, claims[1], TAKEN);
    await expect(bad).rejects.toThrow(/unsupported Unicode escape/);
    await expect(good).resolves.toMatchObject({ events: [] });
    await expect(books.eventRow(bed, claims[1].event.eventId)).resolves.toMatchObject({
      state: 'delivered',
    });
  });
});
