// Which worker sends a webhook event (decision 19): one at a time, by a lease that runs out by itself.
import type { EventId } from '../../../src/domain/ids';
import { createDatabase, type Database } from '../../../src/postgres/database';
import { createWebhookStore } from '../../../src/postgres/webhooks/store';
import { times } from '../../support/builders';
import { withWebhooks } from '../../support/webhooks/webhook-books';

const { bed, partner, anEvent, later, claim, record, disable } = withWebhooks();
const outcomeOf = async (eventId: EventId) => bed.webhooks.claim(eventId);
async function waiting(store = bed.webhooks): Promise<EventId[]> {
  const event = await store.claimWaiting(partner.partnerId);
  return event === undefined ? [] : [event.eventId, ...(await waiting(store))];
}
const isPolled = async () =>
  (await bed.webhooks.readWaiting()).some(({ partnerId }) => partnerId === partner.partnerId);

describe('a claim', () => {
  it('takes the event with its address and the opened secret', async () => {
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

  it('has the secret before the last rotation too, until that is over', async () => {
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

  it('finds nothing once the event is delivered, and says so', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 200, result: 'delivered' });
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'done' });
  });

  it('of an event whose next attempt is not due says when it is, and what the last one met', async () => {
    const eventId = await anEvent();
    await record(eventId, { status: 503 });
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

  it('of an event that another worker sends says so, and gets it when that lease is over', async () => {
    const eventId = await anEvent();
    await claim(eventId);
    await later(29.999);
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'under_way' });
    await later(30);
    await expect(outcomeOf(eventId)).resolves.toMatchObject({ outcome: 'claimed' });
  });

  it('leaves a disabled endpoint alone', async () => {
    const eventId = await anEvent();
    await disable();
    await expect(outcomeOf(eventId)).resolves.toEqual({ outcome: 'done' });
  });
});

describe('the poller', () => {
  it('gets the events that are due and left to it, the oldest first', async () => {
    const first = await anEvent();
    await later(1);
    const rest = await times(2, anEvent);
    await later(61);
    await expect(isPolled()).resolves.toBe(true);
    const [oldest, ...others] = await waiting();
    expect([oldest, ...others.sort()]).toEqual([first, ...rest.sort()]);
    await expect(isPolled()).resolves.toBe(false);
  });

  it('gets no event whose own workflow is expected to send it, until that is late by a minute', async () => {
    const eventId = await anEvent();
    await later(59);
    await expect(isPolled()).resolves.toBe(false);
    await expect(waiting()).resolves.toEqual([]);
    await later(60);
    await expect(waiting()).resolves.toEqual([eventId]);
  });

  it('gets an event at once whose workflow found no slot for it', async () => {
    const eventId = await anEvent();
    await bed.webhooks.leaveToPoller(eventId);
    await expect(isPolled()).resolves.toBe(true);
    await expect(waiting()).resolves.toEqual([eventId]);
  });

  it('gets no event that another worker sends, and gets it when that lease is over', async () => {
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

  it('gets nothing of a disabled endpoint', async () => {
    await anEvent();
    await later(60);
    await disable();
    await expect(isPolled()).resolves.toBe(false);
    await expect(waiting()).resolves.toEqual([]);
  });

  it('knows which endpoints did not take what they were last sent', async () => {
    const failing = async () =>
      (await bed.webhooks.readWaiting()).filter(({ isFailing }) => isFailing).length;
    const [first] = await times(2, anEvent);
    await later(60);
    const before = await failing();
    await record(first ?? ('none' as never), { status: 500 });
    await expect(failing()).resolves.toBe(before + 1);
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

  it('one gets each event, be it by its workflow or by the poller', async () => {
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
