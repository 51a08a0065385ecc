// Webhook events whose run may be gone (architecture, section 3, "Starting and repairing"): an undelivered event
// survives it.
import { anIntent, openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';
import { claimed, recordAttempt } from '../support/webhooks';

const MANY = 10_000;

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(async () => {
  await bed.setNow(NOON);
  await bed.database.query({ text: 'update webhook_events set check_at = null' });
});

async function anEvent(who = partner) {
  const { intentId } = await anIntent(bed, who, { status: 'failed' });
  const { eventId } = await bed.intents.standing(intentId);
  if (eventId === null) throw new Error('no event was written');
  return { intentId, eventId, partnerId: who.partnerId, isEndpointFailing: false };
}

const claimedAt = async (seconds: number) => {
  await bed.setNow(secondsAfter(NOON, seconds));
  return bed.sweep.claimOwedEvents(MANY);
};

describe('an owed event is taken', () => {
  it('a minute after it was written, when no attempt has been recorded', async () => {
    const event = await anEvent();
    expect(await claimedAt(59.999)).toEqual([]);
    expect(await claimedAt(60)).toEqual([event]);
  });

  it('a minute after the next attempt was due', async () => {
    const event = await anEvent();
    await recordAttempt(bed, event.eventId, { status: 500, retryInMs: 300_000 });
    expect(await claimedAt(359.999)).toEqual([]);
    expect(await claimedAt(360)).toEqual([{ ...event, isEndpointFailing: true }]);
  });

  it('and left to its worker until a lease that it took would be over', async () => {
    const event = await anEvent(await aPartner(bed));
    expect(await claimedAt(60)).toEqual([event]);
    expect(await claimedAt(124.999)).toEqual([]);
    expect(await claimedAt(125)).toEqual([event]);
  });

  it('by one of eight concurrent claimers only, and none is left behind', async () => {
    const events = await times(12, async () => anEvent(await aPartner(bed)));
    await bed.setNow(secondsAfter(NOON, 60));
    const claims = await times(8, () => bed.sweep.claimOwedEvents(3));
    const all = [...claims.flat(), ...(await bed.sweep.claimOwedEvents(MANY))];
    const ids = all.map(({ eventId }) => eventId);
    expect(ids.sort()).toEqual(events.map(({ eventId }) => eventId).sort());
  });

  it('no more than were asked for', async () => {
    await times(2, () => anEvent());
    await bed.setNow(secondsAfter(NOON, 60));
    await expect(bed.sweep.claimOwedEvents(1)).resolves.toHaveLength(1);
  });
});

describe('an event is never taken', () => {
  it.each(['delivered', 'given_up'] as const)('once it is %s', async (result) => {
    const event = await anEvent();
    await recordAttempt(bed, event.eventId, { status: 500, result });
    expect(await claimedAt(30 * 86_400)).toEqual([]);
  });

  it('while somebody sends it', async () => {
    const { eventId } = await anEvent();
    await bed.setNow(secondsAfter(NOON, 59));
    await claimed(bed.webhooks, eventId);
    expect(await claimedAt(118.999)).toEqual([]);
    expect(await claimedAt(119)).toMatchObject([{ eventId }]);
  });

  it('while its endpoint is disabled: it is missed', async () => {
    const disabled = await aPartner(bed);
    const { intentId } = await anIntent(bed, disabled, { status: 'failed' });
    const set = (what: string) =>
      bed.database.query({
        text: `update webhook_endpoints set ${what} where partner_id = $1`,
        values: [disabled.partnerId],
      });
    await set(`disabled_at = service_now(), disabled_reason = 'test'`);
    expect(await claimedAt(60)).toEqual([]);
    await expect(bed.sweep.missEvents(MANY)).resolves.toBe(1);
    await set('disabled_at = null, disabled_reason = null');
    expect(await claimedAt(3_600)).toEqual([]);
    const { rows } = await bed.database.query({
      text: `select state, due_at, check_at from webhook_events where intent_id = $1`,
      values: [intentId],
    });
    expect(rows).toEqual([{ state: 'missed', due_at: null, check_at: null }]);
  });
});

describe('events of one endpoint', () => {
  const PLACES = 16;

  it('are taken one more at a time than are under way, since whoever sends them takes the rest along', async () => {
    const large = await aPartner(bed);
    await times(10, () => anIntent(bed, large, { status: 'failed' }));
    const taken: number[] = [];
    for (const seconds of [60, 61, 62, 63]) {
      const events = await claimedAt(seconds);
      taken.push(events.length);
      for (const { eventId } of events) await claimed(bed.webhooks, eventId);
    }
    expect(taken).toEqual([1, 2, 4, 3]);
  });

  it('are not taken while it has no free place', async () => {
    const busy = await aPartner(bed);
    const intents = await times(PLACES + 1, () => anIntent(bed, busy, { status: 'failed' }));
    for (const { intentId } of intents.slice(1)) {
      const { eventId } = await bed.intents.standing(intentId);
      if (eventId === null) throw new Error('no event was written');
      await bed.setNow(secondsAfter(NOON, 30));
      await claimed(bed.webhooks, eventId);
    }
    await expect(claimedAt(60)).resolves.toEqual([]);
    await expect(claimedAt(90)).resolves.toHaveLength(1);
  });

  it('come behind the first of every other', async () => {
    const large = await aPartner(bed);
    const all = await times(8, () => anEvent(large));
    const others = await times(3, async () => anEvent(await aPartner(bed)));
    for (const { eventId } of all.slice(0, 3)) {
      await bed.setNow(secondsAfter(NOON, 30));
      await claimed(bed.webhooks, eventId);
    }
    const taken = await claimedAt(60);
    expect(taken).toHaveLength(4 + others.length);
    expect(taken.slice(0, 1 + others.length)).toEqual(expect.arrayContaining(others));
  });

  it('do not keep those of another waiting, however many there are', async () => {
    const large = await aPartner(bed);
    const small = await aPartner(bed);
    await times(20, () => anIntent(bed, large, { status: 'failed' }));
    const { intentId } = await anIntent(bed, small, { status: 'failed' });
    await bed.setNow(secondsAfter(NOON, 60));
    const taken = await bed.sweep.claimOwedEvents(2);
    expect(taken.map((event) => event.intentId)).toContain(intentId);
  });
});

describe('events that are owed to a disabled endpoint', () => {
  it('become missed in batches', async () => {
    const disabled = await aPartner(bed);
    await times(5, () => anIntent(bed, disabled, { status: 'failed' }));
    await bed.database.query({
      text: `update webhook_endpoints set disabled_at = service_now(), disabled_reason = 'test' where partner_id = $1`,
      values: [disabled.partnerId],
    });
    const batches = [await bed.sweep.missEvents(3), await bed.sweep.missEvents(3)];
    expect([...batches, await bed.sweep.missEvents(3)]).toEqual([3, 2, 0]);
  });
});
