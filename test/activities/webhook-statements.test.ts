// What a delivery costs the database (decision 119), counted on the wire: one statement to take the event, one to record it.
import { createWebhookActivities } from '../../activities/webhooks';
import { openTestBed, times, type TestBed } from '../support/builders';
import { startCountingProxy, type CountingProxy } from '../support/counting-proxy';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner } from '../support/partner';
import { SILENT } from '../support/silent-log';
import { anOwedEvent } from '../support/webhook-books';

let bed: TestBed;
let proxy: CountingProxy | undefined;
beforeAll(async () => {
  bed = await openTestBed({
    through: async (url) => {
      proxy = await startCountingProxy(url);
      return proxy.url;
    },
  });
});
afterAll(async () => {
  await bed.close();
  await proxy?.close();
});

/** The endpoint answers every POST so. */
const activitiesOf = (status: number) =>
  createWebhookActivities({
    store: bed.webhooks,
    sender: { post: () => Promise.resolve({ status, retryAfter: undefined, excerpt: '' }) },
    clock: bed.clock,
    random: () => 0.5,
    metrics: { webhookAttempted: () => undefined },
    log: SILENT,
    stopping: new AbortController().signal,
  });

it.each([200, 500, 410])('an event that is answered %d costs two statements', async (status) => {
  await bed.setNow(NOON);
  const eventId = await anOwedEvent(bed, await aPartner(bed));
  const { deliverWebhook } = activitiesOf(status);
  const counts = await proxy?.countDuring(() => deliverWebhook(eventId).catch(() => undefined));
  expect(counts).toMatchObject({ statements: 2 });
});

/** The first of so many events that wait at one endpoint is delivered, and takes the others along. */
async function deliverAmong(events: number) {
  await bed.setNow(NOON);
  const partner = await aPartner(bed);
  const [eventId] = await times(events, () => anOwedEvent(bed, partner));
  await bed.setNow(secondsAfter(NOON, 60));
  if (eventId === undefined) throw new Error('there is no event');
  const counts = await proxy?.countDuring(() => activitiesOf(200).deliverWebhook(eventId));
  const { rows } = await bed.database.query<{ readonly owed: number }>({
    text: `select count(*) as owed from webhook_events where partner_id = $1 and state = 'owed'`,
    values: [partner.partnerId],
  });
  return { statements: counts?.statements, owed: rows[0]?.owed };
}

it('a backlog of two hundred costs a few statements for all of it', async () => {
  const { statements, owed } = await deliverAmong(200);
  expect(statements).toBeLessThanOrEqual(10);
  expect(owed).toBe(0);
});

it('an event beside which one other waits costs four for both', async () => {
  await expect(deliverAmong(2)).resolves.toEqual({ statements: 4, owed: 0 });
});
