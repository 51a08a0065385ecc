// Number of statements of a delivery (decision 119), counted on the wire: one claims the event, one
// records the attempt.
import { createWebhookActivities } from '../../activities/webhooks';
import { createEndpointSlots, createEndpointSpeeds } from '../../src/domain/webhooks/endpoints';
import { openTestBed, type TestBed } from '../support/builders';
import { startCountingProxy, type CountingProxy } from '../support/cost/counting-proxy';
import { NOON } from '../support/clock';
import { aPartner } from '../support/payments/partner';
import { SILENT } from '../support/silent-log';
import { aPendingEvent } from '../support/webhooks/webhook-rows';

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

/** Activities whose endpoint answers every POST with this status. */
const activitiesOf = (status: number) =>
  createWebhookActivities({
    store: bed.webhooks,
    sender: { post: () => Promise.resolve({ status, retryAfter: undefined, excerpt: '' }) },
    clock: bed.clock,
    random: () => 0.5,
    metrics: { webhookAttempted: () => undefined },
    log: SILENT,
    slots: createEndpointSlots(16),
    speeds: createEndpointSpeeds(),
  });

it.each([200, 500, 410])('an event that is answered %d costs two statements', async (status) => {
  await bed.setNow(NOON);
  const partner = await aPartner(bed);
  const eventId = await aPendingEvent(bed, partner);
  const { deliverWebhook } = activitiesOf(status);
  const counts = await proxy?.countDuring(() =>
    deliverWebhook(eventId, partner.partnerId).catch(() => undefined),
  );
  expect(counts).toMatchObject({ statements: 2 });
});
