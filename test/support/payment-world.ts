// A world for one workflow test: a time-skipping Temporal server, real Postgres whose clock follows that server's, the
// real activities, and a payout provider that answers by a script.
import { randomBytes } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { createPaymentActivities, type PaymentActivities } from '../../activities';
import type { Corridor } from '../../src/domain/corridor';
import { ID_RANDOM_BYTES, makeEventId } from '../../src/domain/ids';
import type { PaymentStart } from '../../src/domain/payment-start';
import type { IntentStore } from '../../src/ports/intent-store';
import type { PayoutOrder } from '../../src/ports/payout-provider';
import { startStopwatch } from '../../src/main/stopwatch';
import { createDatabase, type LendingDatabase } from '../../src/postgres/database';
import { createFundsAccount } from '../../src/postgres/funds-account';
import { createIntentStore } from '../../src/postgres/intent-store';
import { createPayoutComparisons } from '../../src/postgres/payout-comparisons';
import { createPayoutGate } from '../../src/postgres/payout-gate';
import { createPayoutJournal } from '../../src/postgres/payout-journal';
import { createPayoutStops } from '../../src/postgres/payout-stops';
import { startPayment } from '../../src/temporal/payment-start';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import {
  confirmUpdate,
  confirmUpdateId,
  PAYMENTS_QUEUE,
  type MessageReply,
} from '../../workflows/messages';
import { until } from '../../src/dev/until';
import { createTestDatabase } from './database';
import { createIntentOf, followClock, onboard, type WorldPartner } from './payment-world-rows';
import { NO_CODE_REQUIRED } from './qr-codes';
import { knowingWhatWasSent, scriptedProviders, type ScriptedAnswer } from './scripted-provider';
import { quietTemporal } from './quiet-temporal';
import { restoreWatchOn } from './restore-watch';
import { SILENT } from './silent-log';
import { createLostCommits } from '../../src/postgres/lost-commits';
import { INSTALLATION } from './builders';
import { bundledWorkflows } from './workflow-bundle';

const NAMESPACE = 'default';

export interface WorldOptions {
  /** The workflows as they are, unless told. */
  readonly workflowBundle?: WorkflowBundleOption;
  /** What the world's worker serves: payments, unless told. */
  readonly taskQueue?: string;
  /** What the provider answers, in order; the last answer is repeated. More may be pushed later. Paid unless told. */
  readonly provider?: ScriptedAnswer[];
  /** Whether it knows nothing of an order that it was never sent: an attempt that was lost before its sending is then sent once. */
  readonly isProviderTruthful?: boolean;
  /** Where a confirm needs the scanned code; nowhere unless told (decision 20). */
  readonly isQrPayloadRequired?: Readonly<Record<Corridor, boolean>>;
  /** Whether operations may confirm without a token; they may unless told. */
  readonly isOperatorConfirmAllowed?: boolean;
  /** Whether every debit is a step of its own, as where no slot of the account is free and full enough. */
  readonly isDebitAlone?: boolean;
  /** Wraps the real activities, to hold one of them still or to fail it. */
  readonly wrap?: (activities: PaymentActivities, setClock: SetClock) => PaymentActivities;
}

/** Sets Postgres' clock to the server's, ahead by that much. */
type SetClock = (skewMs?: number) => Promise<void>;

export interface PaymentWorld {
  readonly environment: TestWorkflowEnvironment;
  /** Of the database, for whoever connects by itself. */
  readonly url: string;
  readonly database: LendingDatabase;
  readonly intents: IntentStore;
  /** Payout orders that reached the provider. */
  readonly sent: readonly PayoutOrder[];
  readonly setClock: SetClock;
  /** What a query answers. */
  rows<Row = unknown>(text: string, ...values: unknown[]): Promise<readonly Row[]>;
  create(cents?: number): Promise<PaymentStart>;
  start(payment: PaymentStart): Promise<ReturnType<typeof handleOf>>;
  /** Confirms, and lets that long go by once the provider has been sent the payout. */
  confirmAndWait(payment: PaymentStart, duration: '20 minutes'): Promise<MessageReply>;
  /** Lets time run ahead until there is a reply, so that a reply that waits for a timer takes no real time. */
  passTimeUntil<Reply>(reply: Promise<Reply>): Promise<Reply>;
  /** Confirms with a token of that hash and waits for the outcome. */
  confirm(payment: PaymentStart, jtiHash?: string): Promise<MessageReply>;
}

type Work = (world: PaymentWorld) => Promise<void>;

/** Runs the work in a world of its own and takes it down, however the work ended. */
export function inPaymentWorld(...given: [Work] | [WorldOptions, Work]): Promise<void> {
  return given.length === 1 ? openWorld({}, given[0]) : openWorld(...given);
}

async function openWorld(options: WorldOptions, work: Work): Promise<void> {
  quietTemporal();
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: {
      executable: { type: 'existing-path', path: process.env['TEST_TEMPORAL_TEST_SERVER'] ?? '' },
    },
  });
  const rows = await createTestDatabase();
  const database = createDatabase({
    url: rows.url,
    poolSize: 4,
    onLostConnection: () => undefined,
  });
  try {
    await runWorld({ ...options, environment, database, url: rows.url }, work);
  } finally {
    await environment.teardown();
    await database.close();
    await rows.drop();
  }
}

interface Ground extends WorldOptions {
  readonly environment: TestWorkflowEnvironment;
  readonly database: LendingDatabase;
  readonly url: string;
}

async function runWorld(ground: Ground, work: Work): Promise<void> {
  const { environment, database, url, workflowBundle, taskQueue, wrap } = ground;
  await registerSearchAttributes(environment.connection, NAMESPACE);
  await followClock(database);
  const setClock: SetClock = async (skewMs = 0) => {
    const at = new Date((await environment.currentTimeMs()) + skewMs);
    await database.query({ text: 'update test_clock set at = $1', values: [at] });
  };
  await setClock();
  const partner = await onboard(database);
  const sent: PayoutOrder[] = [];
  const intents = createIntentStore({
    database,
    environment: 'sandbox',
    makeEventId: () => makeEventId(Date.now(), randomBytes(ID_RANDOM_BYTES)),
  });
  const activities = realActivities(ground, intents, sent);
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    workflowBundle: workflowBundle ?? (await bundledWorkflows()),
    taskQueue: taskQueue ?? PAYMENTS_QUEUE,
    activities: atServiceTime(wrap?.(activities, setClock) ?? activities, setClock),
  });
  const rows = async <Row>(text: string, ...values: unknown[]) =>
    (await database.query<Row & object>({ text, values })).rows as readonly Row[];
  const world = { environment, url, database, intents, sent, setClock, rows };
  await worker.runUntil(work({ ...world, ...actions(world, partner) }));
}

function actions(
  { environment, intents, sent }: Pick<PaymentWorld, 'environment' | 'intents' | 'sent'>,
  partner: WorldPartner,
): Pick<PaymentWorld, 'create' | 'start' | 'confirm' | 'confirmAndWait' | 'passTimeUntil'> {
  const confirm: PaymentWorld['confirm'] = (payment, jtiHash = 'ab'.repeat(32)) => {
    const { partnerId, expiresAtMs } = payment;
    const token = { partnerId, jtiHash, expiresAtMs };
    return handleOf(environment, payment).executeUpdate(confirmUpdate, {
      args: [{ token, waitForOutcome: true }],
      updateId: confirmUpdateId(jtiHash),
    });
  };
  return {
    confirm,
    async confirmAndWait(payment, duration) {
      const confirmed = confirm(payment);
      // Time that went by before the run was woken would count for nothing.
      await until(() => sent.length > 0, { timeoutMs: 10_000 });
      await environment.sleep(duration);
      return confirmed;
    },
    async passTimeUntil(reply) {
      const waiting = { isOver: false };
      const end = () => (waiting.isOver = true);
      reply.then(end, end);
      while (!waiting.isOver) await environment.sleep('1 s');
      return reply;
    },
    create: (cents = 1_250) => createIntentOf(partner, intents, cents),
    async start(payment) {
      const now = new Date(await environment.currentTimeMs());
      await startPayment(environment.client, payment, now);
      return handleOf(environment, payment);
    },
  };
}

function handleOf(environment: TestWorkflowEnvironment, { intentId }: PaymentStart) {
  return environment.client.workflow.getHandle(intentId);
}

function realActivities(
  {
    database,
    provider = ['paid'],
    isProviderTruthful = false,
    isQrPayloadRequired = NO_CODE_REQUIRED,
    isOperatorConfirmAllowed = true,
    isDebitAlone = false,
  }: Ground,
  intents: IntentStore,
  sent: PayoutOrder[],
): PaymentActivities {
  const funds = createFundsAccount(database);
  const scripted = scriptedProviders(provider, sent);
  return createPaymentActivities({
    intents,
    funds: isDebitAlone ? { ...funds, joinsAuthorize: () => false } : funds,
    payoutJournal: createPayoutJournal(database),
    payoutGate: createPayoutGate(database),
    comparisons: createPayoutComparisons(database),
    payoutStops: createPayoutStops(database),
    restoreWatch: restoreWatchOn(database),
    startStopwatch,
    lostCommits: createLostCommits(database),
    installationId: INSTALLATION.id,
    payoutUnknownSeconds: 900,
    log: SILENT,
    isOperatorConfirmAllowed,
    isQrPayloadRequired,
    providers: isProviderTruthful ? knowingWhatWasSent(scripted, sent) : scripted,
  });
}

/** Every activity sees the database at the instant that the skipping server has reached. */
function atServiceTime(activities: PaymentActivities, setClock: SetClock): object {
  const atItsTime = (activity: (...given: never[]) => Promise<unknown>) => {
    return async (...given: never[]) => {
      await setClock();
      return activity(...given);
    };
  };
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [name, atItsTime(activity)]),
  );
}
