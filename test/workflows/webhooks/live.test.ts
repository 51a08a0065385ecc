// A slow endpoint delays no other, and the Temporal UI shows a webhook that is retried (decision
// 19), over a real Temporal server.
import { until } from '../../../src/dev/until';
import type { EventId } from '../../../src/domain/ids';
import { startDelivery } from '../../../src/temporal/starts';
import { webhookWorkflowId } from '../../../workflows/messages/messages';
import { anIntentId, countOf, recogniseErrorsOfNode, times } from '../../support/builders';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { quietTemporal } from '../../support/servers/quiet-temporal';
import { shownInUi } from '../../support/servers/temporal-ui';
import { aPendingEvent } from '../../support/webhooks/webhook-rows';
import { answers, startReceiver, type Answer } from '../../support/webhooks/webhook-receiver';
import { inLiveWebhooks, type WebhookLiveWorld } from '../../support/webhooks/webhook-live-world';

recogniseErrorsOfNode();

const SOON = { timeoutMs: 30_000 };
const SLOTS_PER_ENDPOINT = 16;
const resets: Answer = (request) => request.socket.resetAndDestroy();

beforeAll(quietTemporal);

const start = ({ client }: WebhookLiveWorld, { partnerId }: TestPartner, eventId: EventId) =>
  startDelivery(client, { eventId, intentId: anIntentId(), partnerId });

const delivered = ({ bed }: WebhookLiveWorld, { partnerId }: TestPartner) =>
  countOf(
    bed,
    `select count(*) from webhook_events where partner_id = $1 and state = 'delivered'`,
    [partnerId],
  );

it('an endpoint that never answers uses sixteen slots at most, and nine others get all events', async () => {
  const dead = await startReceiver(() => undefined);
  const alive = await startReceiver(answers(200));
  const release = () => {
    dead.close();
  };
  const slots = SLOTS_PER_ENDPOINT + 4;
  await inLiveWebhooks({ slots, release }, async (world) => {
    const hanging = await aPartner(world.bed, { webhookUrl: dead.url });
    const due = await times(3 * SLOTS_PER_ENDPOINT, () => aPendingEvent(world.bed, hanging));
    await Promise.all(due.map((eventId) => start(world, hanging, eventId)));
    await until(() => Promise.resolve(dead.received.length === SLOTS_PER_ENDPOINT), SOON);
    const others = await times(9, () => aPartner(world.bed, { webhookUrl: alive.url }));
    for (const partner of others) {
      const events = await times(5, () => aPendingEvent(world.bed, partner));
      await Promise.all(events.map((eventId) => start(world, partner, eventId)));
    }
    const counts = () => Promise.all(others.map((partner) => delivered(world, partner)));
    await until(async () => (await counts()).every((count) => count === 5), SOON);
    await expect(counts()).resolves.toEqual(others.map(() => 5));
    expect(dead.received).toHaveLength(SLOTS_PER_ENDPOINT);
  });
  alive.close();
});

it.each<readonly [string, Answer, RegExp]>([
  ['503', answers(503), /^attempt 1 of 10: the endpoint answered 503$/],
  ['with a reset', resets, /^attempt 1 of 10: connection closed or reset$/],
])(
  'the Temporal UI shows the pending attempt and last failure of a webhook answered %s',
  async (_what, answer, message) => {
    const receiver = await startReceiver(answer);
    const release = () => {
      receiver.close();
    };
    await inLiveWebhooks({ slots: 4, release }, async (world) => {
      const partner = await aPartner(world.bed, { webhookUrl: receiver.url });
      const eventId = await aPendingEvent(world.bed, partner);
      await start(world, partner, eventId);
      const workflow = world.client.workflow.getHandle(webhookWorkflowId(eventId));
      const pending = async () => (await workflow.describe()).raw.pendingActivities?.[0];
      await until(async () => (await pending())?.lastFailure?.message !== undefined, SOON);
      await expect(pending()).resolves.toMatchObject({
        activityId: 'webhook',
        activityType: { name: 'deliverWebhook' },
        attempt: 2,
        lastFailure: {
          message: expect.stringMatching(message) as unknown,
          applicationFailureInfo: { type: 'WebhookRejected' },
        },
      });
      await expect(shownInUi(workflow)).resolves.toMatchObject({
        summary: expect.stringContaining(`Webhook ${eventId} of pi_`) as unknown,
        partnerId: partner.partnerId,
        currentDetails:
          'Sending a webhook to the partner. The pending activity shows the last failure.',
      });
      await workflow.terminate('the test is over');
    });
  },
);
