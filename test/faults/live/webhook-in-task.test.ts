// The first attempt of a webhook in the task of the capture (decision 136): the payer is answered
// meanwhile, and a rejected webhook continues in the webhook queue.
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { recogniseErrorsOfNode } from '../../support/builders';
import { createLatch, type Latch } from './latch';
import { isDone, withLiveSetup } from './setup';
import { said, truthOf } from './payer';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 60_000 };
const CENTS = 1_250;

let [begun, free]: [Latch, Latch] = [createLatch(), createLatch()];
let isDelivered = true;
beforeEach(() => {
  [begun, free] = [createLatch(), createLatch()];
});

const { world, payer } = withLiveSetup({
  webhookUrl: 'http://127.0.0.1:9/webhooks',
  async deliverAtOnce() {
    begun.open();
    await free.isOpen;
    if (!isDelivered) throw new Error('the endpoint is silent now');
  },
});

const workflowOf = ({ intentId }: PaymentIntent) => world.client.workflow.getHandle(intentId);
const eventsOf = async (intent: PaymentIntent) => (await workflowOf(intent).fetchHistory()).events;

async function pendingOf(intent: PaymentIntent) {
  const { raw } = await workflowOf(intent).describe();
  return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
}

async function aWaitingPayment(): Promise<PaymentIntent> {
  const intent = await payer.create();
  const isStarted = () => isDone(workflowOf(intent).describe());
  await expect(until(isStarted, WAIT)).resolves.toBe(true);
  return intent;
}

it('answers the confirm from the row while the endpoint delays the task', async () => {
  const intent = await aWaitingPayment();
  const confirming = payer.confirm(intent);
  await begun.isOpen;
  expect(said(await confirming)).toBe('200 captured');
  expect(await eventsOf(intent)).toHaveLength(3);
  free.open();
  await expect(workflowOf(intent).result()).resolves.toBe('captured');
  expect(await eventsOf(intent)).toHaveLength(11);
});

it('leaves a webhook that the endpoint did not accept to the webhook queue', async () => {
  const intent = await aWaitingPayment();
  isDelivered = false;
  free.open();
  expect(said(await payer.confirmUntilAnswered(intent))).toBe('200 captured');
  await expect(until(async () => (await pendingOf(intent)).length > 0, WAIT)).resolves.toBe(true);
  expect(await pendingOf(intent)).toEqual(['deliverWebhook']);
  await expect(truthOf(world, intent)).resolves.toMatchObject({ executed: [CENTS] });
});
