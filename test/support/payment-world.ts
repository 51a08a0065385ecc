// A world for one workflow test: a time-skipping Temporal server, real Postgres whose clock follows that server's, the
// real activities, and a payout provider that answers by a script.
import { randomBytes } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { createPaymentActivities, type PaymentActivities } from '../../activities';
import { ID_RANDOM_BYTES, makeEventId, makeIntentId, parsePartnerId } from '../../src/domain/ids';
import { usdCents } from '../../src/domain/money';
import type { PaymentStart } from '../../src/domain/payment-start';
import { createPartner } from '../../src/ops/partners';
import type { PayoutOrder, PayoutOutcome, PayoutProvider } from '../../src/ports/payout-provider';
import { createDatabase, type Database } from '../../src/postgres/database';
import { createFundsAccount } from '../../src/postgres/funds-account';
import { fundHolding } from '../../src/postgres/holding';
import { createIntentStore } from '../../src/postgres/intent-store';
import { createPayoutJournal } from '../../src/postgres/payout-journal';
import { createSecretSeal } from '../../src/signing/sealed-secret';
import { startPayment } from '../../src/temporal/payment-start';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import { PAYMENTS_QUEUE } from '../../workflows/messages';
import { createTestDatabase } from './database';

const TIME_TO_LIVE_SECONDS = 1_800;
const NAMESPACE = 'default';

export interface WorldOptions {
  readonly workflowBundle: WorkflowBundleWithSourceMap;
  /** What the provider answers, in order; the last answer is repeated. More may be pushed later. Paid unless told. */
  readonly provider?: PayoutOutcome['outcome'][];
  /** Wraps the real activities, to hold one of them still or to fail it. */
  readonly wrap?: (activities: PaymentActivities, setClock: SetClock) => PaymentActivities;
}

/** Sets Postgres' clock to the server's, ahead by that much. */
type SetClock = (skewMs?: number) => Promise<void>;

export type PaymentWorld = Awaited<ReturnType<typeof createPaymentWorld>>;

/** Runs the work in a world of its own and takes it down, however the work ended. */
export async function inPaymentWorld(
  options: WorldOptions,
  work: (world: PaymentWorld) => Promise<void>,
): Promise<void> {
  const world = await createPaymentWorld(options);
  try {
    await world.worker.runUntil(work(world));
  } finally {
    await world.close();
  }
}

async function createPaymentWorld({ workflowBundle, provider, wrap }: WorldOptions) {
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: {
      executable: { type: 'existing-path', path: process.env['TEST_TEMPORAL_TEST_SERVER'] ?? '' },
    },
  });
  await registerSearchAttributes(environment.connection, NAMESPACE);
  const rows = await createTestDatabase();
  const database = createDatabase({
    url: rows.url,
    poolSize: 4,
    onLostConnection: () => undefined,
  });
  const intents = createIntentStore({
    database,
    environment: 'sandbox',
    makeEventId: () => makeEventId(Date.now(), randomBytes(ID_RANDOM_BYTES)),
  });
  await followClock(database);
  const setClock = async (skewMs = 0) => {
    const now = await environment.currentTimeMs();
    await database.query({
      text: 'update test_clock set at = $1',
      values: [new Date(now + skewMs)],
    });
  };
  await setClock();
  const partner = await onboard(database);
  const sent: PayoutOrder[] = [];
  const activities = createPaymentActivities({
    intents,
    funds: createFundsAccount(database),
    payoutJournal: createPayoutJournal(database),
    payoutUnknownSeconds: 900,
    providers: bothCorridors(scriptedProvider(provider ?? ['paid'], sent)),
  });
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    workflowBundle,
    taskQueue: PAYMENTS_QUEUE,
    activities: { ...atServiceTime(wrap?.(activities, setClock) ?? activities, setClock) },
  });
  return {
    environment,
    worker,
    database,
    intents,
    /** Payout orders that reached the provider. */
    sent,
    setClock,
    async create(cents = 1_250): Promise<PaymentStart> {
      const created = await intents.create({
        caller: {
          partnerId: partner.partnerId,
          keyId: partner.keyId,
          address: '127.0.0.1',
          nonce: randomBytes(32).toString('hex'),
        },
        intentId: makeIntentId(Date.now(), randomBytes(ID_RANDOM_BYTES)),
        partnerUserId: 'u',
        amountUsdCents: usdCents(cents),
        corridor: 'th_qrpay',
        timeToLiveSeconds: TIME_TO_LIVE_SECONDS,
        idempotency: undefined,
      });
      if (created.outcome !== 'created') throw new Error(`not created: ${created.outcome}`);
      const { intentId, partnerId, amountUsdCents, corridor, status, expiresAt } = created.intent;
      return {
        intentId,
        partnerId,
        amountUsdCents,
        corridor,
        status,
        expiresAtMs: expiresAt.getTime(),
      };
    },
    async start(payment: PaymentStart) {
      const now = new Date(await environment.currentTimeMs());
      await startPayment(environment.client, payment, now);
      return environment.client.workflow.getHandle(payment.intentId);
    },
    async close() {
      await environment.teardown();
      await database.close();
      await rows.drop();
    },
  };
}

/** Postgres' one clock reads a table that the test sets (design section 3, "Deadline"). */
async function followClock(database: Database): Promise<void> {
  await database.query({ text: 'create table test_clock (at timestamptz not null)' });
  await database.query({ text: 'insert into test_clock values (now())' });
  await database.query({
    text: `create or replace function service_now() returns timestamptz language sql volatile
           as 'select at from test_clock'`,
  });
}

async function onboard(database: Database) {
  const seal = createSecretSeal(randomBytes(32));
  const jwksUrl = 'http://127.0.0.1:9/.well-known/jwks.json';
  const made = await createPartner(
    { database, seal, now: new Date(0) },
    { name: 'world', jwksUrl, allow: ['127.0.0.1/32'], returnScheme: [], env: 'sandbox' },
  );
  await fundHolding(database, { key: 'fund:test', amountUsdCents: 1_000_000, actor: 'test' });
  const partnerId = parsePartnerId(made.partner_id);
  if (partnerId === undefined) throw new Error('the partner has no id');
  return { partnerId, keyId: made.key_id };
}

/** Every activity sees the database at the instant that the skipping server has reached. */
function atServiceTime(
  activities: PaymentActivities,
  setClock: () => Promise<void>,
): PaymentActivities {
  const then = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    await setClock();
    return run();
  };
  return {
    recordTransition: (command) => then(() => activities.recordTransition(command)),
    readStanding: (intentId) => then(() => activities.readStanding(intentId)),
    setAttention: (intentId, reason) => then(() => activities.setAttention(intentId, reason)),
    debitHoldingAccount: (intentId, amount) =>
      then(() => activities.debitHoldingAccount(intentId, amount)),
    payOut: (request) => then(() => activities.payOut(request)),
  };
}

function scriptedProvider(
  answers: PayoutOutcome['outcome'][],
  sent: PayoutOrder[],
): PayoutProvider {
  const answer = ({ amountUsdCents }: PayoutOrder): Promise<PayoutOutcome> => {
    const outcome = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'paid';
    if (outcome === 'unknown') return Promise.resolve({ outcome, cause: 'scripted silence' });
    return Promise.resolve(outcome === 'not_found' ? { outcome } : { outcome, amountUsdCents });
  };
  return {
    pay: (order) => {
      sent.push(order);
      return answer(order);
    },
    find: answer,
  };
}

function bothCorridors(provider: PayoutProvider) {
  return { th_qrpay: provider, vn_qrpay: provider };
}
