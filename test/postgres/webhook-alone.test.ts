// Who has every place of an endpoint sends there alone, and takes what waits without a lease for each (decision 119).
import type { EventId } from '../../src/domain/ids';
import type { WebhookDelivery } from '../../src/ports/webhook-store';
import { replayEvent } from '../../src/postgres/webhook-replay';
import { openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import { anAttempt, claimed, finish, type AttemptWish, type Claimed } from '../support/webhooks';
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

const CHUNK = 16;
const PLACES = 16;
const anEvent = () => books.anOwedEvent(bed, partner);
const later = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
const row = (eventId: EventId) => books.eventRow(bed, eventId);
const idsOf = (events: readonly WebhookDelivery[]) => events.map(({ eventId }) => eventId);

interface Drain extends Pick<Claimed, 'holding'> {
  readonly inHand: readonly WebhookDelivery[];
}

/** Ten seconds in, with all places: of 272 events that waited beside its own it has taken 256, and 16 wait. */
async function aDrain(): Promise<Drain> {
  const own = await claimed(bed.webhooks, await anEvent());
  await times(CHUNK * PLACES + CHUNK, anEvent);
  await later(10);
  const first = await finish(bed.webhooks, own, { ...TAKEN, wanted: CHUNK });
  await expect(bed.webhooks.takePlaces(own.holding, PLACES - 1)).resolves.toBe(PLACES - 1);
  const begun = { holding: own.holding, inHand: first.events };
  const more = await next(begun, CHUNK * (PLACES - 1));
  return { ...begun, inHand: [...first.events, ...more.events] };
}

const next = ({ holding, inHand }: Drain, wanted: number, isLast = false) =>
  bed.webhooks.finish(holding, { attempts: [], unsent: [], wanted, inHand, isLast });

async function takeOne(drain: Drain): Promise<WebhookDelivery> {
  const [event] = (await next(drain, 1)).events;
  if (event === undefined) throw new Error('one was to be given');
  return event;
}

const record = ({ holding, inHand }: Drain, event: WebhookDelivery, wish: AttemptWish) =>
  bed.webhooks.finish(holding, {
    ...{ attempts: [anAttempt(event, wish)], unsent: [], wanted: 0, inHand, isLast: false },
  });

/** An event whose holder has lost its place, and may still be sending. */
async function takenWithoutAPlace(): Promise<Claimed> {
  const taken = await claimed(bed.webhooks, await anEvent());
  await bed.database.query({
    text: `update webhook_places set lease = null, leased_until = '-infinity' where lease = $1`,
    values: [taken.holding.lease],
  });
  return taken;
}

/** What a holder whose lease ran out finds: somebody sends from one of its places. */
async function loseAPlace(): Promise<void> {
  await later(61);
  await claimed(bed.webhooks, await anEvent());
}

describe('who has every place', () => {
  it('is given what waits, each event once, and writes nothing for it', async () => {
    const drain = await aDrain();
    const { events } = await next(drain, CHUNK);
    const seen = new Set(idsOf([...drain.inHand, ...events]));
    expect([events.length, seen.size]).toEqual([CHUNK, CHUNK * PLACES + CHUNK]);
    for (const eventId of idsOf(events)) {
      await expect(row(eventId)).resolves.toMatchObject({ state: 'owed', lease: null });
    }
    const all = { ...drain, inHand: [...drain.inHand, ...events] };
    await expect(next(all, CHUNK)).resolves.toMatchObject({ events: [] });
  });

  it('keeps everybody else from sending there, until it has ended', async () => {
    const drain = await aDrain();
    const { eventId } = await takeOne(drain);
    await expect(bed.webhooks.claim(eventId)).resolves.toMatchObject({ outcome: 'busy' });
    await next(drain, 0, true);
    await expect(bed.webhooks.claim(eventId)).resolves.toMatchObject({ outcome: 'claimed' });
  });

  it('keeps operations from replaying what is owed there, until it has ended', async () => {
    const drain = await aDrain();
    const { eventId } = await takeOne(drain);
    await expect(replayEvent(bed.database, eventId)).resolves.toBe(false);
    await next(drain, 0, true);
    await expect(replayEvent(bed.database, eventId)).resolves.toBe(true);
  });

  it('is not given what another has taken before, and may still be sending', async () => {
    const other = await takenWithoutAPlace();
    const drain = await aDrain();
    const given = idsOf((await next(drain, 2 * CHUNK)).events);
    expect(given).toHaveLength(CHUNK);
    expect(given).not.toContain(other.event.eventId);
  });

  it('leaves what another has taken and never recorded to who leases it, also when that lease is over', async () => {
    const other = await takenWithoutAPlace();
    const drain = await aDrain();
    await bed.database.query({
      text: 'update webhook_events set leased_until = $2 where event_id = $1',
      values: [other.event.eventId, NOON],
    });
    const given = idsOf((await next(drain, 2 * CHUNK)).events);
    expect(given).not.toContain(other.event.eventId);
    await next(drain, 0, true);
    const again = await claimed(bed.webhooks, other.event.eventId);
    await record({ ...again, inHand: [] }, again.event, { status: 500 });
    await expect(row(other.event.eventId)).resolves.toMatchObject({
      ...{ state: 'owed', attempts: 1, due_at: secondsAfter(NOON, 15) },
    });
  });

  it('is given nothing that it might still be sending when the first lease is over', async () => {
    const drain = await aDrain();
    await later(44);
    const { events } = await next(drain, 1);
    expect(events).toHaveLength(1);
    await later(45);
    await expect(next(drain, CHUNK)).resolves.toMatchObject({ events: [] });
  });

  it.each([
    ['delivered', TAKEN, { state: 'delivered', due_at: null }],
    ['given up', { status: 410, result: 'given_up' }, { state: 'given_up', due_at: null }],
    ['sent later', { status: 500 }, { state: 'owed', due_at: secondsAfter(NOON, 15) }],
  ] as const)('has an event %s by what it met', async (_what, wish, expected) => {
    const drain = await aDrain();
    const event = await takeOne(drain);
    await record(drain, event, wish);
    await expect(row(event.eventId)).resolves.toMatchObject({ ...expected, attempts: 1 });
  });
});

describe('who had every place, and was frozen until the leases were over', () => {
  it('is given nothing further once a place is another’s', async () => {
    const drain = await aDrain();
    await loseAPlace();
    await expect(next(drain, CHUNK)).resolves.toMatchObject({ events: [] });
  });

  it('is counted with what it met, and decides nothing', async () => {
    const drain = await aDrain();
    const event = await takeOne(drain);
    await loseAPlace();
    await record(drain, event, { status: 500, result: 'given_up' });
    await expect(row(event.eventId)).resolves.toMatchObject({
      ...{ state: 'owed', attempts: 1, due_at: NOON },
    });
  });

  it('has delivered what was taken all the same', async () => {
    const drain = await aDrain();
    const event = await takeOne(drain);
    await loseAPlace();
    await record(drain, event, TAKEN);
    await expect(row(event.eventId)).resolves.toMatchObject({ state: 'delivered' });
  });
});
