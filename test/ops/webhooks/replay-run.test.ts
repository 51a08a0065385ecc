// `payctl webhooks replay EVENT_ID` with Temporal: the attempt is made now, and the command waits
// for it.
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { until } from '../../../src/dev/until';
import type { EventId } from '../../../src/domain/ids';
import { setWebhook } from '../../../src/ops/webhooks/set';
import { findWebhookEvent, type ShownWebhookEvent } from '../../../src/ops/webhooks/event';
import { untilAttempted } from '../../../src/ops/webhooks/replay-events';
import type { Queryable } from '../../../src/postgres/database';
import { createSecretSeal } from '../../../src/signing/sealed-secret';
import {
  PARTNER_ID,
  WEBHOOKS_QUEUE,
  webhookWorkflowId,
} from '../../../workflows/messages/messages';
import { KEY_ENCRYPTION_KEY } from '../../support/builders';
import { withPaymentWorld } from '../../support/payment-world';
import { jsonOf, runPayctl, textOf } from '../../support/programs/payctl';
import { anEventOf, eventRow } from './rows';

type Answer = 204 | 503;

/** The answers of the partner's endpoint for an event, in order; the last one is repeated. */
const endpoint = new Map<EventId, readonly Answer[]>();

let worker: Worker;
let stopped: Promise<void>;
// Runs before the world is closed, because the worker uses the world's connection.
afterAll(() => {
  worker.shutdown();
  return stopped;
});
const world = withPaymentWorld();
beforeAll(async () => {
  worker = await Worker.create({
    connection: world.environment.nativeConnection,
    taskQueue: WEBHOOKS_QUEUE,
    activities: { deliverWebhook: deliver },
  });
  stopped = worker.run();
  const seal = createSecretSeal(KEY_ENCRYPTION_KEY);
  const options = { partnerId: 'world', url: 'https://world.example/' };
  await setWebhook({ database: world.database, seal }, options, { actor: 'ann', reason: null });
});

async function anExhaustedEvent(...answers: Answer[]): Promise<EventId> {
  const eventId = await anEventOf(world, await world.create(), { state: 'exhausted', attempts: 2 });
  endpoint.set(eventId, answers);
  return eventId;
}

/** Makes and records one attempt. An event that was not accepted is due again in five hours. */
async function deliver(eventId: EventId): Promise<void> {
  const made = Number((await eventRow(world, eventId))['attempts']) - 2;
  const answers = endpoint.get(eventId) ?? [];
  const status = answers[made] ?? answers.at(-1);
  await world.database.query({
    text: `with event as (
             update webhook_events
                set attempts = attempts + 1,
                    state = case $2::int when 204 then 'delivered' else 'pending' end,
                    due_at = case $2 when 204 then null else service_now() + interval '5 h' end,
                    check_at = null
              where event_id = $1
             returning event_id, attempts
           )
           insert into webhook_attempts (event_id, attempt, started_at, duration_ms, status)
           select event_id, attempts, service_now(), 3, $2 from event`,
    values: [eventId, status],
  });
  if (status !== 204) throw ApplicationFailure.create({ message: '503', nextRetryDelay: '5 h' });
}

const replay = (eventId: EventId, ...more: readonly string[]) =>
  runPayctl(world, ['webhooks', 'replay', eventId, ...more], {
    TEMPORAL_ADDRESS: world.environment.address,
  });

const statusesOf = ({ attempts }: ShownWebhookEvent) => attempts.map(({ status }) => status);

it('sends the event at once and prints it with its attempts, the new one included', async () => {
  const eventId = await anExhaustedEvent(204);
  const event = jsonOf(await replay(eventId, '--json')) as ShownWebhookEvent;
  expect(event).toMatchObject({ event_id: eventId, state: 'delivered', next_attempt_at: null });
  expect(statusesOf(event)).toEqual([503, 503, 204]);
});

it('sends an event again although its workflow sleeps until the next attempt', async () => {
  const eventId = await anExhaustedEvent(503, 204);
  const first = await replay(eventId, '--json');
  expect(statusesOf(JSON.parse(first.stdout) as ShownWebhookEvent)).toEqual([503, 503, 503]);
  const asleep = await runOf(eventId).describe();
  expect(asleep.status.name).toBe('RUNNING');
  const second = textOf(await replay(eventId));
  expect(second).toMatch(/^evt_\w+ +captured, delivered$/m);
  expect(second).toMatch(/^ +4 .* 204 +-$/m);
  expect(second).toMatch(/\n {2}payctl intents show pi_\w+\n$/);
  const after = await runOf(eventId).describe();
  expect(after.runId).not.toBe(asleep.runId);
  expect(after.typedSearchAttributes.get(PARTNER_ID)).toBe('world');
});

it('does not wait with --no-wait, and the event is still sent', async () => {
  const eventId = await anExhaustedEvent(204);
  expect(jsonOf(await replay(eventId, '--no-wait', '--json'))).toMatchObject({
    state: 'pending',
  });
  await until(async () => (await eventRow(world, eventId))['state'] === 'delivered', {
    timeoutMs: 20_000,
  });
  await expect(findWebhookEvent(world.database, eventId)).resolves.toMatchObject({
    state: 'delivered',
  });
});

it('never shows an attempt without its effect on the event', async () => {
  const eventId = await anExhaustedEvent(204);
  const before = await findWebhookEvent(world.database, eventId);
  let reads = 0;
  const meanwhile: Queryable = {
    async query(statement) {
      reads += 1;
      if (reads === 2) await deliver(eventId);
      return world.database.query(statement);
    },
  };
  const event = await untilAttempted(meanwhile, before, AbortSignal.timeout(5_000));
  expect(event.state).toBe('delivered');
  expect(statusesOf(event)).toEqual([503, 503, 204]);
});

it('stops waiting at the deadline, and returns the event as it is', async () => {
  const eventId = await anExhaustedEvent(204);
  const before = await findWebhookEvent(world.database, eventId);
  const waited = untilAttempted(world.database, before, AbortSignal.timeout(300));
  await expect(waited).resolves.toEqual(before);
});

function runOf(eventId: EventId) {
  return world.environment.client.workflow.getHandle(webhookWorkflowId(eventId));
}
