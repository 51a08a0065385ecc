// The whole engine in one process without simulation: the API over HTTP, a real Temporal server in
// a separate namespace, real Postgres behind a proxy that can be cut, and the sandbox's provider
// over HTTP. Only the clock is fixed.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  NativeConnection,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import {
  createPaymentActivities,
  type PaymentActivities,
  type WebhookActivities,
} from '../../../activities';
import { createHttpProvider } from '../../../src/providers/http/provider';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import type { PayoutProvider } from '../../../src/ports/payout-provider';
import type { Queryable } from '../../../src/postgres/database';
import { connectionStrings } from '../../../src/domain/connection-strings';
import { createPayoutLock } from '../../../src/postgres/payouts/lock';
import { createProviderServer } from '../../../src/sandbox/provider/server';
import { scheduleByTimer } from '../../../src/sandbox/schedule';
import { connectTemporal } from '../../../src/temporal/connection';
import { registerNamespace } from '../../../src/temporal/namespace';
import { createPaymentRunner } from '../../../src/temporal/payment-runner';
import { createStartQueue } from '../../../src/temporal/start-queue';
import {
  PAYMENTS_QUEUE,
  payoutsQueue,
  RESTORE_WATCH_QUEUE,
} from '../../../workflows/messages/messages';
import { byCorridor, CORRIDORS } from '../../../src/corridors/names';
import { INSTALLATION, openTestBed, type TestBed } from '../../support/builders';
import { NOON, runDatabaseClock } from '../../support/clock';
import { FROZEN_STOPWATCH } from '../../support/clock';
import type { TestDatabase } from '../../support/database';
import { NO_CODE_REQUIRED } from '../../support/payments/qr-codes';
import { SILENT } from '../../support/silent-log';
import { temporalAddress } from '../../support/servers/temporal-address';
import { createWorkerOnThisThread } from '../../support/programs/workflow-bundle';
import { startCutProxy, type CutProxy } from '../cut-proxy';
import { createHeldSteps } from './held-steps';
import { providerHealth } from '../../support/payments/provider-health';
import { ACCOUNT, boundsWith, ONE_ACCOUNT } from '../../support/payments/accounts';

const PROVIDER_TOKEN = 'a credential of the provider';
const NAMESPACE_TRIES = 60;
const FEE_USD_CENTS = 150;
export type LiveWorld = Awaited<ReturnType<typeof openLiveWorld>>;

export interface WorldOptions {
  /** Use this migrated database instead of a new one. */
  readonly on?: TestDatabase;
  /** Use this Temporal server instead of the shared one. */
  readonly address?: string;
  /** Runs on each new connection to Postgres before any other statement, as in a worker. */
  readonly look?: (connection: Queryable) => Promise<void>;
  /** Support stack trace queries, which need a separate thread for the workflows. */
  readonly hasStackTraces?: boolean;
  /** Instead of our own protocol. Its fee is at most 1.50 USD. */
  readonly provider?: PayoutProvider;
  /** Treat the endpoint as fast, and use this as its webhook attempt in the task of the capture. */
  readonly deliverAtOnce?: WebhookActivities['deliverWebhookAtOnce'];
}

export async function openLiveWorld(
  workflowBundle: WorkflowBundleOption,
  { address = temporalAddress(), ...options }: WorldOptions = {},
) {
  const { hasStackTraces, deliverAtOnce, ...bedOptions } = options;
  const namespace = `live-${randomUUID()}`;
  const client = connectTemporal({ address, namespace });
  const { bed, proxy } = await openCuttableBed(bedOptions);
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
  const provider = await startProvider(bed);
  const holds = createHeldSteps();
  const port = options.provider ?? provider.port;
  const activities = heldActivities(bed, holds, { provider: port, deliverAtOnce });
  const connection = await NativeConnection.connect({ address });
  const createWorker =
    hasStackTraces === true
      ? (options: WorkerOptions) => Worker.create(options)
      : createWorkerOnThisThread;
  const parts = { connection, namespace, workflowBundle, activities };
  const startWorker = () => runWorker(createWorker, parts);
  const { claims, intents, lostCommits: rows, clock } = bed;
  const starts = createStartQueue({ client, claims, rows, clock, log: SILENT });
  let stopWorker = await startWorker();
  return {
    /** All statements of the bed go through the proxy. */
    ...{ bed, proxy, client },
    runner: createPaymentRunner({ client, starts, rows, intents, clock, log: SILENT }),
    /** Holds steps of the worker, and counts how often they were begun. */
    holds,
    /** The payouts that the provider executed, by its own journal. */
    executed: provider.journal,
    /** Does the work while no worker runs, and starts a worker again afterwards. */
    async withoutWorker<Result>(work: () => Promise<Result>): Promise<Result> {
      await stopWorker();
      try {
        return await work();
      } finally {
        stopWorker = await startWorker();
      }
    },
    async close() {
      await starts.drain();
      await stopWorker();
      await Promise.all([connection.close(), client.connection.close(), provider.close()]);
      await bed.close();
      await proxy.close();
    },
  };
}

async function openCuttableBed(options: Pick<WorldOptions, 'on' | 'look'>) {
  let proxy: CutProxy | undefined;
  const bed = await openTestBed({
    ...options,
    poolSize: 16,
    through: async (url) => {
      const [first = url, ...others] = connectionStrings(url);
      proxy = await startCutProxy(first);
      // With several hosts the pool chooses one of them itself.
      return others.length === 0 ? proxy.url : url;
    },
  });
  if (proxy === undefined) throw new Error('the test bed did not open its proxy');
  // The database clock runs on, because rules for sending compare times of the database.
  const setNow = async (instant: Date) => {
    bed.clock.turnTo(instant);
    await runDatabaseClock(bed.database, instant);
  };
  await setNow(NOON);
  return { bed: { ...bed, setNow }, proxy };
}

async function startProvider({ clock }: TestBed) {
  const directory = await mkdtemp(join(tmpdir(), 'live-provider-'));
  const server = await createProviderServer({
    directory,
    clock,
    schedule: scheduleByTimer,
    token: PROVIDER_TOKEN,
    log: SILENT,
  });
  const baseUrl = `http://127.0.0.1:${String(await server.listen(0, '127.0.0.1'))}`;
  const outbound = createProviderOutbound();
  return {
    port: { ...createHttpProvider(outbound, { baseUrl, token: PROVIDER_TOKEN }), account: ACCOUNT },
    journal: async () => {
      const reply = await fetch(`${baseUrl}/journal`);
      return (await reply.json()) as readonly {
        readonly key: string;
        readonly amount_usd_cents: number;
      }[];
    },
    async close() {
      await outbound.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Outside {
  readonly deliverAtOnce: WorldOptions['deliverAtOnce'] | undefined;
  readonly provider: PayoutProvider;
}

function heldActivities(
  bed: TestBed,
  holds: ReturnType<typeof createHeldSteps>,
  { provider, deliverAtOnce }: Outside,
) {
  const isEndpointFast = deliverAtOnce !== undefined;
  const payments = activitiesOver(bed, holds.aroundProvider(provider), isEndpointFast);
  return {
    ...holds.around(payments),
    ...(deliverAtOnce && { deliverWebhookAtOnce: deliverAtOnce }),
  };
}

export function activitiesOver(
  bed: TestBed,
  port: PayoutProvider,
  isEndpointFast = false,
): PaymentActivities {
  return createPaymentActivities({
    ...bed,
    payoutLock: createPayoutLock(bed.database),
    endpointSpeeds: { isFast: () => isEndpointFast },
    startStopwatch: FROZEN_STOPWATCH,
    pause: () => Promise.resolve(),
    installationId: INSTALLATION.id,
    payoutUnknownSeconds: 900,
    ...ONE_ACCOUNT,
    costBounds: boundsWith(FEE_USD_CENTS),
    providers: byCorridor(() => port),
    providerHealth: providerHealth(),
    log: SILENT,
    isOperatorConfirmAllowed: true,
    isQrPayloadRequired: NO_CODE_REQUIRED,
  });
}

interface WorkerParts {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly workflowBundle: WorkflowBundleOption;
  readonly activities: PaymentActivities;
}

/** @returns a function that stops the worker and resolves when it has stopped */
async function runWorker(
  createWorker: (options: WorkerOptions) => Promise<Worker>,
  { activities, ...parts }: WorkerParts,
): Promise<() => Promise<void>> {
  const { workflowBundle, ...shared } = { ...parts, activities: { ...activities } };
  const sticky = { workflowBundle, stickyQueueScheduleToStartTimeout: '2 s' } as const;
  const workers = await Promise.all([
    ...[PAYMENTS_QUEUE, RESTORE_WATCH_QUEUE].map((taskQueue) =>
      createWorker({ ...shared, ...sticky, taskQueue }),
    ),
    ...CORRIDORS.map((corridor) => Worker.create({ ...shared, taskQueue: payoutsQueue(corridor) })),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  return async () => {
    for (const worker of workers) worker.shutdown();
    await running;
  };
}
