// A worker is killed between the POST of a webhook and its record: the event is delivered again
// with the same id and never lost (decision 19). The worker is a real process.
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { until } from '../../../src/dev/until';
import type { EventId } from '../../../src/domain/ids';
import { recordEnvironment } from '../../../src/postgres/service-environment';
import { connectTemporal } from '../../../src/temporal/connection';
import { registerNamespace } from '../../../src/temporal/namespace';
import {
  PAYMENTS_QUEUE,
  WEBHOOK_WORKFLOW,
  webhookWorkflowId,
} from '../../../workflows/messages/messages';
import { ENVIRONMENT, openTestBed, times, type TestBed } from '../../support/builders';
import { followClock } from '../../support/clock';
import { startProgram, type OwnProgram } from '../../support/programs/own-program';
import { aPartner, type TestPartner } from '../../support/payments/partner';
import { temporalAddress } from '../../support/servers/temporal-address';
import { aPendingEvent, eventRow } from '../../support/webhooks/webhook-rows';
import {
  answers,
  startReceiver,
  type Received,
  type Receiver,
} from '../../support/webhooks/webhook-receiver';

const WAIT = { timeoutMs: 40_000 };
const NAMESPACE_TRIES = 60;

let bed: TestBed;
let client: Client;
const namespace = `kill-${randomUUID()}`;
const workers: OwnProgram[] = [];
beforeAll(async () => {
  bed = await openTestBed();
  await followClock(bed.database);
  await recordEnvironment(bed.database, ENVIRONMENT);
  client = connectTemporal({ address: temporalAddress(), namespace });
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await client.connection.close();
  await bed.close();
});

/** Starts the product's worker program on this test's database and namespace. */
function startWorker(): OwnProgram {
  const worker = startProgram('worker', {
    DATABASE_URL: bed.url,
    TEMPORAL_ADDRESS: temporalAddress(),
    TEMPORAL_NAMESPACE: namespace,
  });
  workers.push(worker);
  return worker;
}

/**
 * Starts the delivery as a payment workflow does. Temporal notices the dead worker after 25 s; the
 * poller uses the rows.
 */
const begin = (eventId: EventId, { partnerId }: TestPartner) =>
  client.workflow.start(WEBHOOK_WORKFLOW, {
    workflowId: `the-workflow-of-${eventId}`,
    taskQueue: PAYMENTS_QUEUE,
    args: [eventId, partnerId],
  });

/** Advances the clock past every lease and every `check_at`. */
const letTimePass = () =>
  bed.database.query({ text: `update test_clock set at = at + interval '5 minutes'` });

const isDelivered = async (eventId: EventId) =>
  (await eventRow(bed, eventId))?.['state'] === 'delivered';

const bodiesOf = (received: readonly Received[], eventId: EventId) =>
  received.filter(({ id }) => id === eventId).map(({ body }) => body);

/** Answers every POST except the one at which it kills the worker. */
async function receiverThatKills(nth: number, worker: () => OwnProgram): Promise<Receiver> {
  return startReceiver((request, response, count) => {
    if (count === nth) void worker().kill();
    else answers(200)(request, response, count);
  });
}

it('another worker delivers an event with the same id and body if the first is killed before the answer', async () => {
  let worker = startWorker();
  const receiver = await receiverThatKills(1, () => worker);
  const partner = await aPartner(bed, { webhookUrl: receiver.url });
  const eventId = await aPendingEvent(bed, partner);
  await begin(eventId, partner);
  await until(() => worker.isOver(), WAIT);
  await expect(eventRow(bed, eventId)).resolves.toMatchObject({ state: 'pending', attempts: 0 });
  await letTimePass();
  worker = startWorker();
  await until(() => isDelivered(eventId), WAIT);
  await expect(eventRow(bed, eventId)).resolves.toMatchObject({
    state: 'delivered',
    attempts: 1,
  });
  const bodies = bodiesOf(receiver.received, eventId);
  expect([bodies.length, new Set(bodies).size]).toEqual([2, 1]);
  // The poller has sent it without a workflow.
  const workflow = client.workflow.getHandle(webhookWorkflowId(eventId));
  await expect(workflow.describe()).rejects.toThrow(/not found/i);
  await worker.kill();
  receiver.close();
});

it('no event of the endpoint is lost, and no recorded event is sent again', async () => {
  let worker = startWorker();
  const receiver = await receiverThatKills(4, () => worker);
  const partner = await aPartner(bed, { webhookUrl: receiver.url });
  const events = await times(8, () => aPendingEvent(bed, partner));
  await letTimePass();
  const [first] = events;
  if (first === undefined) throw new Error('there is no event');
  await begin(first, partner);
  await until(() => worker.isOver(), WAIT);
  const recorded = await Promise.all(events.map(isDelivered));
  await letTimePass();
  worker = startWorker();
  const areAll = async () => (await Promise.all(events.map(isDelivered))).every((one) => one);
  await until(areAll, WAIT);
  const sent = events.map((eventId) => bodiesOf(receiver.received, eventId));
  expect(sent.map((bodies) => new Set(bodies).size)).toEqual(events.map(() => 1));
  const repeated = events.filter((_, nth) => recorded[nth] === true && sent[nth]?.length !== 1);
  expect(repeated).toEqual([]);
  await worker.kill();
  receiver.close();
});
