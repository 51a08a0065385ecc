// A world that runs the whole webhook schedule in moments: a time-skipping Temporal server, real
// Postgres whose clock follows it, the real activities, and real HTTP to receivers on the loopback.
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { EventId, PartnerId } from '../../../src/domain/ids';
import type { Outbound } from '../../../src/http/outbound';
import { createPartnerOutbound } from '../../../src/http/partner-outbound';
import { createWebhookSender } from '../../../src/http/webhook-sender';
import type { WebhookSender } from '../../../src/ports/webhooks';
import {
  PAYMENTS_QUEUE,
  WEBHOOK_WORKFLOW,
  WEBHOOKS_QUEUE,
  webhookWorkflowId,
} from '../../../workflows/messages/messages';
import { countOf, type TestBed } from '../builders';
import { SILENT } from '../silent-log';
import { inSkippingTime, type SkippingTime } from '../skipping-time';
import { webhookActivitiesOf } from './webhook-live-world';
import { bundledWorkflows, createWorkerOnThisThread } from '../programs/workflow-bundle';

/** In real time, instead of the fifteen seconds of the product. */
const SILENCE_MS = 300;

/** Longer than any schedule. */
const HOURS_MAX = 240;
const HOURS_AT_ONCE = 12;

export interface WebhookTimeWorld extends SkippingTime {
  /** Fields of the logged warnings. */
  readonly warnings: readonly unknown[];
  /** Starts the delivery of an event. */
  start(eventId: EventId): Promise<void>;
  /** Lets time pass until none of these events is pending. */
  untilDealtWith(events: readonly EventId[]): Promise<void>;
}

interface TimeOptions {
  /** Default that of the sandbox; closed with the world. */
  readonly outbound?: Outbound;
  /** Whether this address never answers, so that its timeout can be short. */
  readonly isSilent?: (url: string) => boolean;
}

type Work = (world: WebhookTimeWorld) => Promise<void>;

/** Runs the work in a new world and closes the world afterwards, even if the work failed. */
export async function inWebhookTime(options: TimeOptions, work: Work): Promise<void> {
  const { outbound = createPartnerOutbound({ environment: 'sandbox' }), isSilent } = options;
  const normalSender = createWebhookSender(outbound);
  const impatientSender = createWebhookSender(outbound, SILENCE_MS);
  const sender: WebhookSender = {
    post: (message) =>
      (isSilent?.(message.url) === true ? impatientSender : normalSender).post(message),
  };
  await inSkippingTime({}, (time) => runWorld({ ...time, sender }, work)).finally(() =>
    outbound.close(),
  );
}

interface WorldParts extends SkippingTime {
  readonly sender: WebhookSender;
}

async function runWorld(parts: WorldParts, work: Work): Promise<void> {
  const { environment, bed, setClock, sender } = parts;
  const warnings: unknown[] = [];
  const log = { ...SILENT, warn: (fields: object) => warnings.push(fields) };
  const { deliverWebhook } = webhookActivitiesOf(bed, sender, log);
  const connection = environment.nativeConnection;
  const payments = await createWorkerOnThisThread({
    connection,
    workflowBundle: await bundledWorkflows(),
    taskQueue: PAYMENTS_QUEUE,
  });
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
  // The client of the environment would skip time whenever it waits for a result.
  const client = new Client({ connection: environment.connection });
  const start = async (eventId: EventId) => {
    await client.workflow.start(WEBHOOK_WORKFLOW, {
      workflowId: webhookWorkflowId(eventId),
      taskQueue: PAYMENTS_QUEUE,
      args: [eventId, await partnerOf(bed, eventId)],
    });
  };
  const untilDealtWith = async (events: readonly EventId[]) => {
    for (let hours = 0; hours < HOURS_MAX; hours += HOURS_AT_ONCE) {
      if ((await countPending(bed, events)) === 0) return;
      await environment.sleep(`${String(HOURS_AT_ONCE)} hours`);
    }
  };
  const world = { bed, environment, warnings, setClock, start, untilDealtWith };
  await payments.runUntil(webhooks.runUntil(work(world)));
}

async function partnerOf({ database }: TestBed, eventId: EventId): Promise<string> {
  const { rows } = await database.query<{ readonly partner_id: string }>({
    text: 'select partner_id from webhook_events where event_id = $1',
    values: [eventId],
  });
  return rows[0]?.partner_id ?? 'none';
}

function countPending(bed: TestBed, events: readonly EventId[]): Promise<number> {
  const pending = `select count(*) from webhook_events
                    where event_id = any ($1) and state = 'pending'`;
  return countOf(bed, pending, [events]);
}
