// Who sends a webhook (decision 19): one at a time per event, sixteen at a time per endpoint, over all workers, by leases
// that run out by themselves.
import type { EventId } from '../../src/domain/ids';
import { createDatabase, type Database } from '../../src/postgres/database';
import { createWebhookStore } from '../../src/postgres/webhook-store';
import { countOf, openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import * as books from '../support/webhook-books';
import { TAKEN } from '../support/webhook-books';
import { anAttempt, claimed, recordAttempt } from '../support/webhooks';

const PLACES = 16;

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
const later = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
const outcomeOf = async (eventId: EventId) => bed.webhooks.claim(eventId);
const takenPlaces = async () => (await books.takenPlaces(bed, partner)).length;

describe('a claim', () => {
  it('takes the event, its place, the address and the opened secret', async () => {
    const eventId = await anEvent();
    await expect(bed.webhooks.claim(eventId)).resolves.toMatchObject({
      outcome: 'claimed',
      holding: {
        partnerId: partner.partnerId,
        url: `https://${partner.partnerId}.example/webhooks`,
        secrets: [partner.webhook_secret],
      },
      event: { eventId, attempts: 0, attemptsReplayed: 0 },
    });
    await expect(takenPlaces()).resolves.toBe(1);
  });

  it('has the secret before the last rotation too, until that is over', async () => {
    const [first, second] = [await anEvent(), await anEvent()];
    await bed.database.query({
      text: `update webhook_endpoints
                set previous_secret_sealed = secret_sealed, secret_sealed = $2,
                    previous_until = service_now() + interval '1 hour'
              where partner_id = $1`,
      values: [partner.partnerId, bed.seal.seal('whsec_bmV3', `webhook:${partner.partnerId}`)],
    });
    const during = await claimed(bed.webhooks, first);
    expect(during.holding.secrets).toEqual(['whsec_bmV3', partner.webhook_secret]);
    await later(3_600);
    const after = await claimed(bed.webhooks, second);
    expect(after.holding.secrets).toEqual(['whsec_bmV3']);
  });

  it('finds nothing once the event is delivered, and says so', async () => {
    const eventId = await anEvent();
    await recordAttempt(bed, eventId, { status: 200, result: 'delivered' });
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'done' });
  });

  it('of an event whose next attempt is not due says when it is, and what the last one met', async () => {
    const eventId = await anEvent();
    await recordAttempt(bed, eventId, { status: 503 });
    await expect(outcomeOf(eventId)).resolves.toEqual({
      outcome: 'not_due',
      waitMs: 5_000,
      last: { number: 1, status: 503, error: null },
    });
    await later(3.999);
    await expect(outcomeOf(eventId)).resolves.toMatchObject({ outcome: 'not_due', waitMs: 1_001 });
    // Temporal's timer may ring some moments early.
    await later(4);
    await expect(outcomeOf(eventId)).resolves.toMatchObject({ outcome: 'claimed' });
  });

  it('of an event that somebody sends says until when it is theirs, and hands it over then', async () => {
    const eventId = await anEvent();
    await claimed(bed.webhooks, eventId);
    await later(20);
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'under_way', waitMs: 40_000 });
    await later(60);
    await expect(outcomeOf(eventId)).resolves.toMatchObject({ outcome: 'claimed' });
  });

  it('of an event whose endpoint has no free place takes neither', async () => {
    for (const eventId of await times(PLACES, anEvent)) await claimed(bed.webhooks, eventId);
    const eventId = await anEvent();
    await later(7);
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'busy', dueForMs: 7_000 });
    const leased = `select count(*) from webhook_events where event_id = $1 and lease is not null`;
    await expect(countOf(bed, leased, [eventId])).resolves.toBe(0);
    await later(60);
    await expect(outcomeOf(eventId)).resolves.toMatchObject({ outcome: 'claimed' });
  });

  it('leaves a disabled endpoint alone', async () => {
    const eventId = await anEvent();
    await bed.database.query({
      text: `update webhook_endpoints set disabled_at = service_now(), disabled_reason = 'test' where partner_id = $1`,
      values: [partner.partnerId],
    });
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'done' });
  });
});

describe('of many that claim at once, from several processes', () => {
  const pools: Database[] = [];
  beforeAll(() => {
    for (let count = 0; count < 4; count += 1) {
      pools.push(createDatabase({ url: bed.url, poolSize: 8, onLostConnection: () => undefined }));
    }
  });
  afterAll(() => Promise.all(pools.map((pool) => pool.close())));

  const stores = () => pools.map((pool) => createWebhookStore(pool, bed.seal));
  const claimEverywhere = async (events: readonly EventId[]) => {
    const claims = stores().flatMap((store) => events.map((eventId) => store.claim(eventId)));
    const made = await Promise.all(claims);
    return made.flatMap((claim) => (claim.outcome === 'claimed' ? [claim.event.eventId] : []));
  };

  it('one gets each event, and no two hold one place', async () => {
    const events = await times(12, anEvent);
    const sent = await claimEverywhere(events);
    expect(sent.sort()).toEqual(events.sort());
    await expect(takenPlaces()).resolves.toBe(events.length);
  });

  it('sixteen get a place at one endpoint', async () => {
    const events = await times(40, anEvent);
    expect((await claimEverywhere(events)).length).toBeLessThanOrEqual(PLACES);
    await claimEverywhere(events);
    await expect(takenPlaces()).resolves.toBe(PLACES);
  });

  it('each event is sent once, whoever takes along what, from sixteen places at most', async () => {
    const events = await times(300, anEvent);
    await later(10);
    const sent: EventId[] = [];
    const drain = async (eventId: EventId, index: number) => {
      const store = stores()[index % pools.length];
      const claim = await store?.claim(eventId);
      if (store === undefined || claim?.outcome !== 'claimed') return;
      const { holding } = claim;
      const isAlone = (await store.takePlaces(holding, PLACES - 1)) === PLACES - 1;
      let held = [claim.event];
      while (held.length > 0) {
        await expect(takenPlaces()).resolves.toBeLessThanOrEqual(PLACES);
        sent.push(...held.map((event) => event.eventId));
        const attempts = held.map((event) => anAttempt(event, TAKEN));
        const inHand = isAlone ? { inHand: [] } : {};
        const record = { attempts, unsent: [], wanted: 8, isLast: true, ...inHand };
        held = [...(await store.finish(holding, record)).events];
      }
    };
    await Promise.all(events.map(drain));
    expect(sent.sort()).toEqual(events.sort());
    await expect(takenPlaces()).resolves.toBe(0);
  });
});
