// A world for one workflow test: a time-skipping Temporal server, real Postgres whose clock follows that server's, the
// real activities, and a payout provider that answers by a script.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { createPaymentActivities, type PaymentActivities } from '../../activities';
import { until } from '../../src/dev/until';
import type { Corridor } from '../../src/domain/corridor';
import { usdCents } from '../../src/domain/money';
import { toPaymentStart, type PaymentStart } from '../../src/domain/intents/payment-start';
import { startStopwatch } from '../../src/main/stopwatch';
import type { IntentStore } from '../../src/ports/intent-store';
import type { PayoutOrder } from '../../src/ports/payouts/provider';
import type { LendingDatabase } from '../../src/postgres/database';
import { createPayoutLock } from '../../src/postgres/payouts/lock';
import { startPayment } from '../../src/temporal/payment-start';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import {
  confirmUpdate,
  confirmUpdateId,
  PAYMENTS_QUEUE,
  type MessageReply,
} from '../../workflows/messages/messages';
import { aroundEach } from './around-each';
import { anIntent, INSTALLATION } from './builders';
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
import { createGate } from '../faults/live/gates';
import { inSkippingTime, type SetClock, type SkippingTime } from './skipping-time';
import { bundledWorkflows, createWorkerOnThisThread } from './programs/workflow-bundle';
import { createEndpointSpeeds } from '../../src/domain/webhooks/endpoint-speeds';

const NAMESPACE = 'default';
export const FUNDS_USD_CENTS = 1_000_000;

export interface WorldOptions {
  /** The workflows as they are, unless told. */
  readonly workflowBundle?: WorkflowBundleOption;
  /** What the world's worker serves: payments, unless told. */
  readonly taskQueue?: string;
  /** What the provider answers, in order; the last answer is repeated. More may be pushed later. Paid unless told. */
  readonly provider?: ScriptedAnswer[];
  /** Whether it knows nothing of an order that it was never sent: an attempt that was lost before its sending is then sent once. */
  readonly isProviderTruthful?: boolean;
  readonly isFirstOrderLost?: boolean;
  /** Where a confirm needs the scanned code; nowhere unless told (decision 20). */
  readonly isQrPayloadRequired?: Readonly<Record<Corridor, boolean>>;
  /** Whether operations may confirm without a token; they may unless told. */
  readonly isOperatorConfirmAllowed?: boolean;
  /** Whether every debit is a step of its own, as where no slot of the account is free and full enough. */
  readonly isDebitAlone?: boolean;
  /** Wraps the real activities, to hold one of them still or to fail it. */
  readonly wrap?: (activities: PaymentActivities, setClock: SetClock) => PaymentActivities;
}

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
  const [options, work] = given.length === 1 ? [{}, given[0]] : given;
  return inSkippingTime({ poolSize: 4, fundedUsdCents: FUNDS_USD_CENTS }, (time) =>
    runWorld({ ...options, ...time }, work),
  );
}

/** One world for all tests of a file or a describe block: each takes a payment of its own. */
export function withPaymentWorld(options: WorldOptions = {}): PaymentWorld {
  const over = createGate();
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
  // Time may have skipped ahead in the test before, and a payment is made by the clock of the database.
  beforeEach(() => world.setClock());
  return world;
}

type Ground = WorldOptions & SkippingTime;

async function runWorld(ground: Ground, work: Work): Promise<void> {
  const { environment, bed, setClock, workflowBundle, taskQueue, wrap } = ground;
  await registerSearchAttributes(environment.connection, NAMESPACE);
  const partner = await aPartner(bed, { name: 'world', webhookUrl: null });
  const sent: PayoutOrder[] = [];
  const activities = realActivities(ground, sent);
  const worker = await createWorkerOnThisThread({
    connection: environment.nativeConnection,
    workflowBundle: workflowBundle ?? (await bundledWorkflows()),
    taskQueue: taskQueue ?? PAYMENTS_QUEUE,
    // Every activity sees the database at the instant that the skipping server has reached.
    activities: {
      ...aroundEach(wrap?.(activities, setClock) ?? activities, async ({ run }) => {
        await setClock();
        return run();
      }),
    },
  });
  const { url, database, intents } = bed;
  const rows = async <Row>(text: string, ...values: unknown[]) =>
    (await database.query<Row & object>({ text, values })).rows as readonly Row[];
  const world = { environment, url, database, intents, sent, setClock, rows };
  await worker.runUntil(work({ ...world, ...actions(ground, partner, sent) }));
}

function actions(
  { environment, bed }: Ground,
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

function realActivities(ground: Ground, sent: PayoutOrder[]): PaymentActivities {
  const { bed, isOperatorConfirmAllowed = true, isDebitAlone = false } = ground;
  const { isQrPayloadRequired = NO_CODE_REQUIRED } = ground;
  return createPaymentActivities({
    ...bed,
    funds: isDebitAlone ? { ...bed.funds, joinsAuthorize: () => false } : bed.funds,
    payoutLock: createPayoutLock(bed.database),
    endpointSpeeds: createEndpointSpeeds(),
    startStopwatch,
    installationId: INSTALLATION.id,
    payoutUnknownSeconds: 900,
    log: SILENT,
    isOperatorConfirmAllowed,
    isQrPayloadRequired,
    providers: providersOf(ground, sent),
  });
}

function providersOf(
  { provider = ['paid'], isProviderTruthful = false, isFirstOrderLost = false }: Ground,
  sent: PayoutOrder[],
) {
  const scripted = scriptedProviders(provider, sent);
  if (isFirstOrderLost) return losingTheFirstOrder(scripted, sent);
  return isProviderTruthful ? knowingWhatWasSent(scripted, sent) : scripted;
}
