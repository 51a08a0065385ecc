// What a sweep does with owed webhooks (architecture, section 3, sweep (b)): this process sends them, without a run and without
// Temporal; what is owed still gets a run of its own.
import { randomUUID } from 'node:crypto';
import { ApplicationFailure, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { WebhookActivities } from '../../activities';
import { until } from '../../src/dev/until';
import type { EventId } from '../../src/domain/ids';
import { createOutbound } from '../../src/http/outbound';
import { knownPartnerId } from '../../src/postgres/intent-row';
import { connectTemporal } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import { createOwedDeliveries } from '../../src/temporal/owed-deliveries';
import { webhookWorkflowId } from '../../workflows/messages';
import { createGate } from '../faults/gates';
import { anIntentId, openTestBed, times, type TestBed } from '../support/builders';
import { aPartner } from '../support/partner';
import { SILENT } from '../support/silent-log';
import { temporalAddress } from '../support/temporal-address';
import { anOwedEvent, eventRow } from '../support/webhook-books';
import { webhookActivitiesOf } from '../support/webhook-live-world';
import { answers, startReceiver, type Answer, type Receiver } from '../support/webhook-receiver';

const NAMESPACE_TRIES = 60;
const SETUP_MS = 60_000;
const ROOM = 16;
const SOON = { timeoutMs: 10_000 };
const stopping = new AbortController().signal;

const namespace = `owed-${randomUUID()}`;
const outbound = createOutbound();
const receivers: Receiver[] = [];
let bed: TestBed;
let client: Client;
let activities: WebhookActivities;
beforeAll(async () => {
  bed = await openTestBed();
  client = connectTemporal({ address: temporalAddress(), namespace });
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
  activities = webhookActivitiesOf(bed, outbound);
}, SETUP_MS);
afterAll(async () => {
  for (const receiver of receivers) receiver.close();
  await Promise.all([client.connection.close(), outbound.close(), bed.close()]);
});

const deliver = (eventId: EventId) => activities.deliverWebhook(eventId);
/** Of a payment and a partner that only the run's description names. */
const owed = (eventId: EventId) => ({
  eventId,
  intentId: anIntentId(),
  partnerId: knownPartnerId('acme'),
  isEndpointFailing: false,
});

async function eventsAt(answer: Answer, count: number): Promise<readonly EventId[]> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  const partner = await aPartner(bed, { webhookUrl: receiver.url });
  return times(count, () => anOwedEvent(bed, partner));
}

async function runOf(eventId: EventId): Promise<string> {
  const run = client.workflow.getHandle(webhookWorkflowId(eventId));
  return run.describe().then(
    ({ status }) => status.name,
    (error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return 'none';
      throw error;
    },
  );
}

const stateOf = async (eventId: EventId) => (await eventRow(bed, eventId))?.['state'];

it('an event is sent from here, without a run', async () => {
  const deliveries = createOwedDeliveries({ client, deliver, log: SILENT, stopping });
  const [eventId = 'none' as never] = await eventsAt(answers(200), 1);
  await deliveries.take(owed(eventId));
  await deliveries.ended();
  await expect(stateOf(eventId)).resolves.toBe('delivered');
  await expect(runOf(eventId)).resolves.toBe('none');
});

it.each([
  ['an event', false],
  ['also one whose endpoint was failing', true],
])('%s is sent while Temporal is away', async (_what, isEndpointFailing) => {
  const away = connectTemporal({ address: '127.0.0.1:9', namespace });
  const deliveries = createOwedDeliveries({ client: away, deliver, log: SILENT, stopping });
  const [eventId = 'none' as never] = await eventsAt(answers(204), 1);
  await deliveries.take({ ...owed(eventId), isEndpointFailing });
  await deliveries.ended();
  await expect(stateOf(eventId)).resolves.toBe('delivered');
  await away.connection.close();
});

it('an event that its endpoint does not take gets a run, which waits for its next attempt', async () => {
  const deliveries = createOwedDeliveries({ client, deliver, log: SILENT, stopping });
  const [eventId = 'none' as never] = await eventsAt(answers(500), 1);
  await deliveries.take(owed(eventId));
  await until(async () => (await runOf(eventId)) === 'RUNNING', SOON);
  await expect(runOf(eventId)).resolves.toBe('RUNNING');
  await expect(eventRow(bed, eventId)).resolves.toMatchObject({ state: 'owed', attempts: 1 });
});

it('an event of an endpoint that has not taken what it was last sent gets a run at once', async () => {
  const deliveries = createOwedDeliveries({ client, deliver, log: SILENT, stopping });
  const [eventId = 'none' as never] = await eventsAt(answers(200), 1);
  await deliveries.take({ ...owed(eventId), isEndpointFailing: true });
  await expect(runOf(eventId)).resolves.toBe('RUNNING');
  await expect(stateOf(eventId)).resolves.toBe('owed');
});

describe('while as many are being sent as there is room for', () => {
  function aRoom(refusal?: Error) {
    const gate = createGate();
    const told = { begun: 0, ended: 0 };
    const held = async () => {
      told.begun += 1;
      await gate.isOpen;
      told.ended += 1;
      if (refusal !== undefined) throw refusal;
    };
    const stop = new AbortController();
    const shared = { client, log: SILENT, stopping: stop.signal };
    return { gate, told, stop, deliveries: createOwedDeliveries({ ...shared, deliver: held }) };
  }

  it('a further one gets a run, and once there is room again none does', async () => {
    const { gate, told, deliveries } = aRoom();
    const events = await eventsAt(answers(200), ROOM + 2);
    for (const eventId of events.slice(0, -1)) await deliveries.take(owed(eventId));
    expect(told.begun).toBe(ROOM);
    gate.open();
    await until(() => told.ended === ROOM, SOON);
    for (const eventId of events.slice(-1)) await deliveries.take(owed(eventId));
    expect(told.begun).toBe(ROOM + 1);
    const runs = await Promise.all(events.map(runOf));
    expect(runs).toEqual([...Array.from({ length: ROOM }, () => 'none'), 'RUNNING', 'none']);
  });

  it('who waits for their end waits, and after a stop nothing is begun any more, not a run either', async () => {
    const { gate, told, stop, deliveries } = aRoom(
      ApplicationFailure.create({ message: 'attempt 1 of 10' }),
    );
    const [one = 'none' as never, other = 'none' as never] = await eventsAt(answers(200), 2);
    await deliveries.take(owed(one));
    stop.abort();
    let isOver = false;
    const ended = deliveries.ended().then(() => (isOver = true));
    await deliveries.take(owed(other));
    // Whatever would have gone on without waiting has done so by then.
    await expect(runOf(other)).resolves.toBe('none');
    expect({ ...told, isOver }).toEqual({ begun: 1, ended: 0, isOver: false });
    gate.open();
    await ended;
    expect(told).toEqual({ begun: 1, ended: 1 });
    await expect(runOf(one)).resolves.toBe('none');
  });
});

it('what is no answer of the endpoint is told in the log, and gets a run', async () => {
  const told: unknown[] = [];
  const log = { ...SILENT, warn: (_fields: object, message: string) => told.push(message) };
  const lost = () => Promise.reject(new Error('a secret does not open'));
  const deliveries = createOwedDeliveries({ client, deliver: lost, log, stopping });
  const [eventId = 'none' as never] = await eventsAt(answers(200), 1);
  await deliveries.take(owed(eventId));
  await until(async () => (await runOf(eventId)) === 'RUNNING', SOON);
  await expect(runOf(eventId)).resolves.toBe('RUNNING');
  expect(told).toEqual(['webhook not sent by the sweep']);
});
