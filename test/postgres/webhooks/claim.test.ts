// The worker that sends a webhook event (decision 19): one at a time, by a lease that expires by
// itself.
import type { EventId } from '../../../src/domain/ids';
import { createDatabase, type Database } from '../../../src/postgres/database';
import { createWebhookStore } from '../../../src/postgres/webhooks/store';
import { times } from '../../support/builders';
import { withWebhooks } from '../../support/webhooks/webhook-rows';

const { bed, partner, anEvent, later, claim, record, disable } = withWebhooks();
const outcomeOf = async (eventId: EventId) => bed.webhooks.claim(eventId);
async function waiting(store = bed.webhooks): Promise<EventId[]> {
  const event = await store.claimWaiting(partner.partnerId);
  return event === undefined ? [] : [event.eventId, ...(await waiting(store))];
}
const isPolled = async () =>
  (await bed.webhooks.readWaiting()).some(({ partnerId }) => partnerId === partner.partnerId);

describe('a claim', () => {
  it('returns the event with its URL and the opened secret', async () => {
    const eventId = await anEvent();
    await expect(bed.webhooks.claim(eventId)).resolves.toMatchObject({
      outcome: 'claimed',
      event: {
        ...{ eventId, attempts: 0, attemptsReplayed: 0 },
        partnerId: partner.partnerId,
        url: `https://${partner.partnerId}.example/webhooks`,
        secrets: [partner.webhook_secret],
      },
    });
  });

  it('also has the secret before the last rotation, until its end', async () => {
    const [first, second] = [await anEvent(), await anEvent()];
    await bed.database.query({
      text: `update webhook_endpoints
                set previous_secret_sealed = secret_sealed, secret_sealed = $2,
                    previous_until = service_now() + interval '1 hour'
              where partner_id = $1`,
      values: [partner.partnerId, bed.seal.seal('whsec_bmV3', `webhook:${partner.partnerId}`)],
    });
    const during = await claim(first);
    expect(during.secrets).toEqual(['whsec_bmV3', partner.webhook_secret]);
    await later(3_600);
    const after = await claim(second);
    expect(after.secrets).toEqual(['whsec_bmV3']);
  });

  it('returns done once the event is delivered', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 200, result: 'delivered' });
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'done' });
  });

  it('of an event that is not due returns the waiting time and the last result', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 503 });
    await expect(outcomeOf(eventId)).resolves.toEqual({
      outcome: 'not_due',
      waitMs: 5_000,
      last: { number: 1, status: 503, error: null },
    });
    await later(3.999);
    await expect(outcomeOf(eventId)).resolves.toMatchObject({ outcome: 'not_due', waitMs: 1_001 });
    // Temporal's timer may fire slightly early.
    await later(4);
    await expect(outcomeOf(eventId)).resolves.toMatchObject({ outcome: 'claimed' });
  });

  it('of a leased event returns under_way, and gets it when the lease is over', async () => {
    const eventId = await anEvent();
    await claim(eventId);
    await later(29.999);
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'under_way' });
    await later(30);
    await expect(outcomeOf(eventId)).resolves.toMatchObject({ outcome: 'claimed' });
  });

  it('of an event of a disabled endpoint returns done', async () => {
    const eventId = await anEvent();
    await disable();
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'done' });
  });
});

describe('the poller', () => {
  it('gets the events that are due for it, the oldest first', async () => {
    const first = await anEvent();
    await later(1);
    const rest = await times(2, anEvent);
    await later(61);
    await expect(isPolled()).resolves.toBe(true);
    const [oldest, ...others] = await waiting();
    expect([oldest, ...others.sort()]).toEqual([first, ...rest.sort()]);
    await expect(isPolled()).resolves.toBe(false);
  });

  it('gets an event only after its own workflow is a minute late', async () => {
    const eventId = await anEvent();
    await later(59);
    await expect(isPolled()).resolves.toBe(false);
    await expect(waiting()).resolves.toEqual([]);
    await later(60);
    await expect(waiting()).resolves.toEqual([eventId]);
  });

  it('gets an event at once if its workflow found no slot', async () => {
    const eventId = await anEvent();
    await bed.webhooks.leaveToPoller(eventId);
    await expect(isPolled()).resolves.toBe(true);
    await expect(waiting()).resolves.toEqual([eventId]);
  });

  it('gets no event with a valid lease, and gets it when the lease is over', async () => {
    const eventId = await anEvent();
    await later(60);
    await claim(eventId);
    await expect(waiting()).resolves.toEqual([]);
    await later(90);
    await expect(waiting()).resolves.toEqual([eventId]);
  });

  it('gets an event whose next attempt is late by a minute', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 503, retryInMs: 300_000 });
    await later(359);
    await expect(waiting()).resolves.toEqual([]);
    await later(360);
    await expect(waiting()).resolves.toEqual([eventId]);
  });

  it('gets no event of a disabled endpoint', async () => {
    await anEvent();
    await later(60);
    await disable();
    await expect(isPolled()).resolves.toBe(false);
    await expect(waiting()).resolves.toEqual([]);
  });

  it('sees which endpoints did not accept their last event', async () => {
    const failing = async () =>
      (await bed.webhooks.readWaiting()).filter(({ isFailing }) => isFailing).length;
    const [first] = await times(2, anEvent);
    await later(60);
    const before = await failing();
    await record(first ?? ('none' as never), { status: 500 });
    await expect(failing()).resolves.toBe(before + 1);
  });
});

describe('of many simultaneous claims from several processes', () => {
  const pools: Database[] = [];
  beforeAll(() => {
    for (let count = 0; count < 4; count += 1) {
      const parts = { url: bed.url, poolSize: 8, connectTimeoutMs: 30_000 };
      pools.push(createDatabase({ ...parts, onLostConnection: () => undefined }));
    }
  });
  afterAll(() => Promise.all(pools.map((pool) => pool.close())));

  it('one gets each event, for its workflow or for the poller', async () => {
    const events = await times(40, anEvent);
    await later(60);
    const stores = pools.map((pool) => createWebhookStore(pool, bed.seal));
    const sent: EventId[] = [];
    const byWorkflows = stores.flatMap((store) =>
      events.map(async (eventId) => {
        if ((await store.claim(eventId)).outcome === 'claimed') sent.push(eventId);
      }),
    );
    const byPollers = stores.map(async (store) => {
      sent.push(...(await waiting(store)));
    });
    await Promise.all([...byWorkflows, ...byPollers]);
    expect(new Set(sent).size).toBe(sent.length);
    sent.push(...(await waiting()));
    expect(sent.sort()).toEqual(events.sort());
  });
});
