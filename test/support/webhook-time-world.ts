// A world in which webhooks go through their whole schedule in moments: a time-skipping Temporal server, real Postgres whose
// clock follows it, the real activities, and real HTTP to receivers on the loopback.
import { Client } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { createWebhookActivities } from '../../activities';
import { createEndpointSlots } from '../../src/domain/endpoint-slots';
import type { EventId, PartnerId } from '../../src/domain/ids';
import type { Outbound } from '../../src/http/outbound';
import { createPartnerOutbound } from '../../src/http/partner-outbound';
import { createWebhookSender } from '../../src/http/webhook-sender';
import type { WebhookSender } from '../../src/ports/webhook-sender';
import {
  PAYMENTS_QUEUE,
  WEBHOOK_WORKFLOW,
  WEBHOOKS_QUEUE,
  webhookWorkflowId,
} from '../../workflows/messages';
import { countOf, openTestBed, type TestBed } from './builders';
import { followClock } from './payment-world-rows';
import { SILENT } from './silent-log';

/** On the wall, where fifteen seconds of silence would cost as much. */
const SILENCE_MS = 300;

/** Longer than any schedule. */
const HOURS_MAX = 240;
const HOURS_AT_ONCE = 12;

export interface WebhookTimeWorld {
  readonly bed: TestBed;
  readonly environment: TestWorkflowEnvironment;
  /** What was told to the log. */
  readonly warnings: readonly unknown[];
  /** Both clocks to where the server's stands. */
  setClock(): Promise<void>;
  /** Starts its delivery. */
  start(eventId: EventId): Promise<void>;
  /** Lets time pass until nothing of these is owed any more. */
  untilDealtWith(events: readonly EventId[]): Promise<void>;
}

interface TimeOptions {
  readonly workflowBundle: WorkflowBundleWithSourceMap;
  /** That of the sandbox unless told; closed with the world. */
  readonly outbound?: Outbound;
  /** Whether this address will not answer, so that nobody need wait for it as long as for the others. */
  readonly isSilent?: (url: string) => boolean;
}

/** Runs the work in a world of its own and takes it down, however the work ended. */
export async function inWebhookTime(
  options: TimeOptions,
  work: (world: WebhookTimeWorld) => Promise<void>,
): Promise<void> {
  const { outbound = createPartnerOutbound({ environment: 'sandbox' }) } = options;
  const path = process.env['TEST_TEMPORAL_TEST_SERVER'] ?? '';
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  const bed = await openTestBed();
  try {
    await followClock(bed.database);
    await runWorld({ isSilent: () => false, ...options, environment, bed, outbound }, work);
  } finally {
    await environment.teardown();
    await Promise.all([outbound.close(), bed.close()]);
  }
}

interface Ground extends Required<TimeOptions> {
  readonly environment: TestWorkflowEnvironment;
  readonly bed: TestBed;
}

function createSender({ outbound, isSilent }: Ground): WebhookSender {
  const patient = createWebhookSender(outbound);
  const hasty = createWebhookSender(outbound, SILENCE_MS);
  return { post: (message) => (isSilent(message.url) ? hasty : patient).post(message) };
}

async function runWorld(
  ground: Ground,
  work: (world: WebhookTimeWorld) => Promise<void>,
): Promise<void> {
  const { environment, bed, workflowBundle } = ground;
  const setClock = async () => {
    const now = new Date(await environment.currentTimeMs());
    bed.clock.turnTo(now);
    await bed.database.query({ text: 'update test_clock set at = $1', values: [now] });
  };
  await setClock();
  const warnings: unknown[] = [];
  const { deliverWebhook } = createWebhookActivities({
    store: bed.webhooks,
    sender: createSender(ground),
    clock: bed.clock,
    random: () => 0.5,
    metrics: { webhookAttempted: () => undefined },
    log: { ...SILENT, warn: (fields) => warnings.push(fields) },
    slots: createEndpointSlots(16),
  });
  const connection = environment.nativeConnection;
  const payments = await Worker.create({ connection, workflowBundle, taskQueue: PAYMENTS_QUEUE });
  const webhooks = await Worker.create({
    connection,
    taskQueue: WEBHOOKS_QUEUE,
    activities: {
      async deliverWebhook(eventId: EventId, partnerId: PartnerId) {
        await setClock();
        return deliverWebhook(eventId, partnerId);
      },
    },
  });
  // The environment's own client lets time pass whenever it waits for a result, and then by any amount.
  const client = new Client({ connection: environment.connection });
  const start = async (eventId: EventId) => {
    const partnerId = await partnerOf(bed, eventId);
    await client.workflow.start(WEBHOOK_WORKFLOW, {
      workflowId: webhookWorkflowId(eventId),
      taskQueue: PAYMENTS_QUEUE,
      args: [eventId, partnerId],
    });
  };
  const untilDealtWith = (events: readonly EventId[]) => letTimePass({ environment, bed }, events);
  const world = { bed, environment, warnings, setClock, start, untilDealtWith };
  await payments.runUntil(webhooks.runUntil(work(world)));
}

async function letTimePass(
  { environment, bed }: Pick<Ground, 'environment' | 'bed'>,
  events: readonly EventId[],
): Promise<void> {
  for (let hours = 0; hours < HOURS_MAX; hours += HOURS_AT_ONCE) {
    if ((await countOwed(bed, events)) === 0) return;
    await environment.sleep(`${String(HOURS_AT_ONCE)} hours`);
  }
}

async function partnerOf({ database }: TestBed, eventId: EventId): Promise<string> {
  const { rows } = await database.query<{ readonly partner_id: string }>({
    text: 'select partner_id from webhook_events where event_id = $1',
    values: [eventId],
  });
  return rows[0]?.partner_id ?? 'none';
}

function countOwed(bed: TestBed, events: readonly EventId[]): Promise<number> {
  const owed = `select count(*) from webhook_events where event_id = any ($1) and state = 'owed'`;
  return countOf(bed, owed, [events]);
}
