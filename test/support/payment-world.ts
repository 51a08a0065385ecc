// The world of a workflow test: a time-skipping Temporal server, real Postgres whose clock follows
// that server, the real activities, and a scripted payout provider.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { createPaymentActivities, type PaymentActivities } from '../../activities';
import { until } from '../../src/dev/until';
import type { Corridor } from '../../src/corridors/names';
import { usdCents } from '../../src/domain/money';
import { toPaymentStart, type PaymentStart } from '../../src/domain/intents/payment-start';
import { startStopwatch } from '../../src/main/stopwatch';
import type { IntentStore } from '../../src/ports/intents';
import type { PayoutOrder } from '../../src/ports/payout-provider';
import type { LendingDatabase } from '../../src/postgres/database';
import { createPayoutLock } from '../../src/postgres/payouts/lock';
import { startPayment } from '../../src/temporal/payment-start';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import {
  confirmUpdate,
  confirmUpdateId,
  PAYMENTS_QUEUE,
  payoutsQueue,
  type MessageReply,
} from '../../workflows/messages/messages';
import { aroundEach } from './around-each';
import { anIntent, INSTALLATION, type TestBed } from './builders';
import { bracket } from './brackets';
import { aPartner, type TestPartner } from './payments/partner';
import { NO_CODE_REQUIRED } from './payments/qr-codes';
import {
  knowingWhatWasSent,
  losingTheFirstOrder,
  scriptedProviders,
  type ScriptedAnswer,
} from './payments/scripted-provider';
import { SILENT } from './silent-log';
import { createLatch } from '../faults/live/latch';
import { inSkippingTime, type SetClock, type SkippingTime } from './skipping-time';
import { bundledWorkflows, createWorkerOnThisThread } from './programs/workflow-bundle';
import { createEndpointSpeeds } from '../../src/domain/webhooks/endpoints';
import { providerHealth } from './payments/provider-health';
import { ONE_ACCOUNT } from './payments/accounts';

const NAMESPACE = 'default';
export const FUNDS_USD_CENTS = 1_000_000;

export interface WorldOptions {
  /** Default: the product's workflows. */
  readonly workflowBundle?: WorkflowBundleOption;
  /** The task queue of the worker; default payments. */
  readonly taskQueue?: string;
  /**
   * Answers of the provider in order; the last is repeated. The test may push more. Default: paid.
   */
  readonly provider?: ScriptedAnswer[];
  /**
   * The provider answers `not_found` for orders that it never got, so that an attempt lost before
   * its sending is sent once.
   */
  readonly isProviderTruthful?: boolean;
  readonly isFirstOrderLost?: boolean;
  /** Corridors in which a confirm needs the scanned code; default none (decision 20). */
  readonly isQrPayloadRequired?: Readonly<Record<Corridor, boolean>>;
  /** Whether operators may confirm without a token; default true. */
  readonly isOperatorConfirmAllowed?: boolean;
  /** Whether every debit is a separate step, as when no slot of the account has enough money. */
  readonly isDebitAlone?: boolean;
  /** Wraps the real activities, to delay one of them or to let it fail. */
  readonly wrap?: (
    activities: PaymentActivities,
    setClock: SetClock,
    bed: TestBed,
  ) => PaymentActivities;
}

export interface PaymentWorld {
  readonly environment: TestWorkflowEnvironment;
  /** URL of the database, for separate connections. */
  readonly url: string;
  readonly database: LendingDatabase;
  readonly intents: IntentStore;
  /** Payout orders that reached the provider. */
  readonly sent: readonly PayoutOrder[];
  readonly setClock: SetClock;
  /** The rows of a query. */
  rows<Row = unknown>(text: string, ...values: unknown[]): Promise<readonly Row[]>;
  create(cents?: number): Promise<PaymentStart>;
  start(payment: PaymentStart): Promise<ReturnType<typeof handleOf>>;
  /** Confirms, and lets this time pass after the payout was sent to the provider. */
  confirmAndWait(payment: PaymentStart, duration: '20 minutes'): Promise<MessageReply>;
  /** Skips time until there is a reply, so that waiting for a timer takes no real time. */
  passTimeUntil<Reply>(reply: Promise<Reply>): Promise<Reply>;
  /** Confirms with a token of that hash and waits for the outcome. */
  confirm(payment: PaymentStart, jtiHash?: string): Promise<MessageReply>;
}

type Work = (world: PaymentWorld) => Promise<void>;

/** Runs the work in a new world and closes the world afterwards, even if the work failed. */
export function inPaymentWorld(...given: [Work] | [WorldOptions, Work]): Promise<void> {
  const [options, work] = given.length === 1 ? [{}, given[0]] : given;
  return inSkippingTime({ poolSize: 4, fundedUsdCents: FUNDS_USD_CENTS }, (time) =>
    runWorld({ ...options, ...time }, work),
  );
}

/**
 * Shares one world between all tests of a file or a describe block. Each test creates its own
 * payment.
 */
export function withPaymentWorld(options: WorldOptions = {}): PaymentWorld {
  const over = createLatch();
  let closed: Promise<void>;
  const open = () =>
    new Promise<PaymentWorld>((resolve, reject) => {
      closed = inPaymentWorld(options, (world) => {
        resolve(world);
        return over.isOpen;
      });
      closed.catch(reject);
    });
  const world = bracket(open, () => {
    over.open();
    return closed;
  });
  // The previous test may have skipped time, and a create uses the clock of the database.
  beforeEach(() => world.setClock());
  return world;
}

type WorldParts = WorldOptions & SkippingTime;

async function runWorld(parts: WorldParts, work: Work): Promise<void> {
  const { environment, bed, setClock, workflowBundle, taskQueue, wrap } = parts;
  await registerSearchAttributes(environment.connection, NAMESPACE);
  const partner = await aPartner(bed, { name: 'world', webhookUrl: null });
  const sent: PayoutOrder[] = [];
  const activities = realActivities(parts, sent);
  const shared = {
    connection: environment.nativeConnection,
    // Sets the database clock to the time of the server before every activity.
    activities: {
      ...aroundEach(wrap?.(activities, setClock, bed) ?? activities, async ({ run }) => {
        await setClock();
        return run();
      }),
    },
  };
  const worker = await createWorkerOnThisThread({
    ...shared,
    workflowBundle: workflowBundle ?? (await bundledWorkflows()),
    taskQueue: taskQueue ?? PAYMENTS_QUEUE,
  });
  const payouts = await Worker.create({ ...shared, taskQueue: payoutsQueue('th_qrpay') });
  const { url, database, intents } = bed;
  const rows = async <Row>(text: string, ...values: unknown[]) =>
    (await database.query<Row & object>({ text, values })).rows as readonly Row[];
  const world = { environment, url, database, intents, sent, setClock, rows };
  const working = () => work({ ...world, ...actions(parts, partner, sent) });
  await worker.runUntil(payouts.runUntil(working));
}

function actions(
  { environment, bed }: WorldParts,
  partner: TestPartner,
  sent: readonly PayoutOrder[],
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
      // Time that is skipped before the workflow has woken up would not count.
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
    async create(cents = 1_250) {
      const intent = await anIntent(bed, partner, { amountUsdCents: usdCents(cents) });
      return toPaymentStart(intent, INSTALLATION.id);
    },
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

function realActivities(parts: WorldParts, sent: PayoutOrder[]): PaymentActivities {
  const { bed, isOperatorConfirmAllowed = true, isDebitAlone = false } = parts;
  const { isQrPayloadRequired = NO_CODE_REQUIRED } = parts;
  return createPaymentActivities({
    ...bed,
    funds: isDebitAlone ? { ...bed.funds, joinsAuthorize: () => false } : bed.funds,
    payoutLock: createPayoutLock(bed.database),
    endpointSpeeds: createEndpointSpeeds(),
    providerHealth: providerHealth(),
    startStopwatch,
    pause: () => Promise.resolve(),
    installationId: INSTALLATION.id,
    payoutUnknownSeconds: 900,
    log: SILENT,
    isOperatorConfirmAllowed,
    isQrPayloadRequired,
    ...ONE_ACCOUNT,
    providers: providersOf(parts, sent),
  });
}

function providersOf(
  { provider = ['paid'], isProviderTruthful = false, isFirstOrderLost = false }: WorldParts,
  sent: PayoutOrder[],
) {
  const scripted = scriptedProviders(provider, sent);
  if (isFirstOrderLost) return losingTheFirstOrder(scripted, sent);
  return isProviderTruthful ? knowingWhatWasSent(scripted, sent) : scripted;
}
