// The webhook poller sends events that no workflow sends, without a workflow and without Temporal.
// An event that needs a further attempt gets its own workflow.
import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { createWebhookSend } from '../../activities';
import { until } from '../../src/dev/until';
import { createEndpointSlots, createEndpointSpeeds } from '../../src/domain/webhooks/endpoints';
import type { EventId } from '../../src/domain/ids';
import { createOutbound } from '../../src/http/outbound';
import { createWebhookSender } from '../../src/http/webhook-sender';
import { connectTemporal } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import { createWebhookPoller } from '../../src/temporal/webhook-poller';
import { webhookWorkflowId } from '../../workflows/messages/messages';
import { openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/payments/partner';
import { SILENT } from '../support/silent-log';
import { temporalAddress } from '../support/servers/temporal-address';
import { aPendingEvent, eventRow } from '../support/webhooks/webhook-rows';
import {
  answers,
  startReceiver,
  type Answer,
  type Receiver,
} from '../support/webhooks/webhook-receiver';

const NAMESPACE_TRIES = 60;
const SETUP_MS = 60_000;
const SLOTS = 4;
const SOON = { timeoutMs: 20_000 };

const namespace = `poller-${randomUUID()}`;
const outbound = createOutbound();
const receivers: Receiver[] = [];
let bed: TestBed;
let client: Client;
beforeAll(async () => {
  bed = await openTestBed();
  client = connectTemporal({ address: temporalAddress(), namespace });
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
}, SETUP_MS);
beforeEach(() => bed.setNow(NOON));
afterAll(async () => {
  for (const receiver of receivers) receiver.close();
  await Promise.all([client.connection.close(), outbound.close(), bed.close()]);
});

interface Backlog {
  readonly receiver: Receiver;
  readonly partner: TestPartner;
  readonly events: readonly EventId[];
}

/** Events that have been due for a minute, at an endpoint with this answer. */
async function backlogAt(answer: Answer, count: number): Promise<Backlog> {
  await bed.setNow(NOON);
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  const partner = await aPartner(bed, { webhookUrl: receiver.url });
  const events = await times(count, () => aPendingEvent(bed, partner));
  await bed.setNow(secondsAfter(NOON, 61));
  return { receiver, partner, events };
}

/** Runs the poller of a worker beside the work, and stops it. */
async function besidePoller(work: () => Promise<unknown>, temporal = client): Promise<void> {
  const slots = createEndpointSlots(SLOTS);
  const send = createWebhookSend({
    speeds: createEndpointSpeeds(),
    store: bed.webhooks,
    sender: createWebhookSender(outbound),
    clock: bed.clock,
    random: () => 0.5,
    metrics: { webhookAttempted: () => undefined },
    log: SILENT,
  });
  const poller = createWebhookPoller({
    ...{ client: temporal, store: bed.webhooks, slots, send, log: SILENT },
  });
  const stop = new AbortController();
  const running = poller.run(stop.signal);
  try {
    await work();
  } finally {
    stop.abort();
    await running;
  }
}

const stateOf = async (eventId: EventId) => (await eventRow(bed, eventId))?.['state'];
const areDelivered = async (events: readonly EventId[]) =>
  (await Promise.all(events.map(stateOf))).every((state) => state === 'delivered');

async function workflowOf(eventId: EventId): Promise<string> {
  const workflow = client.workflow.getHandle(webhookWorkflowId(eventId));
  return workflow.describe().then(
    ({ status }) => status.name,
    (error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return 'none';
      throw error;
    },
  );
}

it('sends each event of a backlog once, without a workflow', async () => {
  const { receiver, events } = await backlogAt(answers(200), 50);
  await besidePoller(() => until(() => areDelivered(events), SOON));
  expect(receiver.received.map(({ id }) => id).sort()).toEqual([...events].sort());
  await expect(workflowOf(events[0] ?? ('none' as never))).resolves.toBe('none');
});

it('sends while Temporal is away', async () => {
  const away = connectTemporal({ address: '127.0.0.1:9', namespace });
  const { events } = await backlogAt(answers(204), 3);
  await besidePoller(() => until(() => areDelivered(events), SOON), away);
  await expect(areDelivered(events)).resolves.toBe(true);
  await away.connection.close();
});

it('an event that its endpoint rejects gets a workflow, which waits for the next attempt', async () => {
  const { events } = await backlogAt(answers(500), 1);
  const [eventId = 'none' as never] = events;
  await besidePoller(() => until(async () => (await workflowOf(eventId)) === 'RUNNING', SOON));
  await expect(workflowOf(eventId)).resolves.toBe('RUNNING');
  await expect(eventRow(bed, eventId)).resolves.toMatchObject({ state: 'pending', attempts: 1 });
});

it('an endpoint that does not answer uses no more than its slots, and other endpoints get their events', async () => {
  const dead = await backlogAt(() => undefined, 3 * SLOTS);
  const alive = await backlogAt(answers(200), 20);
  await besidePoller(async () => {
    await until(() => areDelivered(alive.events), SOON);
    await until(() => Promise.resolve(dead.receiver.received.length === SLOTS), SOON);
    dead.receiver.close();
  });
  await expect(areDelivered(alive.events)).resolves.toBe(true);
});

it('a failing endpoint is sent one event at a time', async () => {
  const { receiver, partner } = await backlogAt(() => undefined, SLOTS);
  await bed.database.query({
    text: 'update webhook_endpoints set failing_since = service_now() where partner_id = $1',
    values: [partner.partnerId],
  });
  const other = await backlogAt(answers(200), 20);
  await besidePoller(async () => {
    await until(() => Promise.resolve(receiver.received.length > 0), SOON);
    await until(() => areDelivered(other.events), SOON);
    expect(receiver.received).toHaveLength(1);
    receiver.close();
  });
});
