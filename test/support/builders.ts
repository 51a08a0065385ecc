// Test beds: a separate database with all stores, and intents in any status, created through the
// stores' public functions.
import { createHash, randomBytes } from 'node:crypto';
import { types } from 'node:util';
import { ID_RANDOM_BYTES, makeEventId, makeIntentId, type IntentId } from '../../src/domain/ids';
import type { IntentEvent } from '../../src/domain/intents/transitions';
import { usdCents } from '../../src/domain/money';
import type { IntentStatus, PaymentIntent } from '../../src/domain/intents/payment-intent';
import type {
  TokenUse,
  TransitionCommand,
  TransitionReport,
} from '../../src/domain/intents/transition';
import type { CreateIntentCommand } from '../../src/ports/intents';
import { createDatabase, type Database, type Queryable } from '../../src/postgres/database';
import { createFundsAccount, fundHoldingAccount } from '../../src/postgres/ledger/holding-account';
import { createIntentStore } from '../../src/postgres/intents/store';
import { createLostCommits } from '../../src/postgres/payouts/lost-commits';
import { createPartnerDirectory, createPartnerLogos } from '../../src/postgres/partners/directory';
import { createPartnerLimits } from '../../src/postgres/partners/limits';
import { createPaymentClaims } from '../../src/postgres/intents/claims';
import { createPaidAsks } from '../../src/postgres/payouts/paid-asks';
import { createPayoutRechecks } from '../../src/postgres/payouts/rechecks';
import { createPayoutJournal } from '../../src/postgres/payouts/journal';
import { createPayoutStops } from '../../src/postgres/payouts/stops';
import { createQuoteStore } from '../../src/postgres/payouts/quotes';
import { createReplayGuard } from '../../src/postgres/partners/nonces';
import { createSessionTokenStore } from '../../src/postgres/partners/session-tokens';
import { createWebhookStore } from '../../src/postgres/webhooks/store';
import { createInstallation } from '../../src/signing/installation';
import { createSecretSeal } from '../../src/signing/sealed-secret';
import { until } from '../../src/dev/until';
import { createTestClock, NOON, setDatabaseClock } from './clock';
import { createTestDatabase, type TestDatabase } from './database';
import type { TestPartner } from './payments/partner';
import { moveProven } from './payments/proofs';
import { restoreWatchOn } from './payments/restore-watch';

export const ENVIRONMENT = 'sandbox';
export const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7);
export const INSTALLATION_KEY = Buffer.alloc(32, 9);
export const TTL_SECONDS = 1_800;
const FUNDED_USD_CENTS = 16_000_000_000;

export type TestBed = Awaited<ReturnType<typeof openTestBed>>;

export interface BedOptions {
  readonly poolSize?: number;
  readonly fundedUsdCents?: number;
  /** Use this migrated database instead of a new one. */
  readonly on?: TestDatabase;
  /** Maps the database URL to the URL for the stores, for example that of a proxy. */
  readonly through?: (url: string) => Promise<string>;
  /** Runs on each new connection before any other statement, as in a worker. */
  readonly look?: (connection: Queryable) => Promise<void>;
}

/** Behind a proxy the pool waits 2 s for a connection, and a busy machine may need longer. */
async function repeated(first: () => Promise<unknown>): Promise<void> {
  const isDone = () =>
    first().then(
      () => true,
      () => false,
    );
  if (!(await until(isDone, { timeoutMs: 60_000 }))) await first();
}

/** Opens a separate funded database, with both clocks fixed at {@link NOON}. Close it when done. */
export async function openTestBed(options: BedOptions = {}) {
  const { poolSize = 8, fundedUsdCents = FUNDED_USD_CENTS, through } = options;
  const { url, drop } = options.on ?? (await createTestDatabase());
  const database = createDatabase({
    // Behind a proxy the pool waits as long as that of a service.
    ...(through === undefined ? { url, connectTimeoutMs: 30_000 } : { url: await through(url) }),
    poolSize,
    onLostConnection: () => undefined,
    ...(options.look !== undefined && { admit: options.look }),
  });
  const clock = createTestClock();
  const setNow = async (instant: Date) => {
    clock.turnTo(instant);
    await setDatabaseClock(database, instant);
  };
  await repeated(() => setNow(NOON));
  if (fundedUsdCents > 0) {
    await fundHoldingAccount(database, {
      key: 'fund:test',
      amountUsdCents: fundedUsdCents,
      actor: 'test',
    });
  }
  return {
    url,
    database,
    clock,
    setNow,
    ...createStores(database, ENVIRONMENT),
    /** The stores of a process with another SERVICE_ENV. */
    storesIn: (environment: string) => createStores(database, environment),
    close: async () => {
      await database.close();
      await drop();
    },
  };
}

function createStores(database: Database, environment: string) {
  const seal = createSecretSeal(KEY_ENCRYPTION_KEY);
  return {
    seal,
    intents: createIntentStore({ database, environment, makeEventId: anEventId }),
    limits: createPartnerLimits(database),
    logos: createPartnerLogos(database, environment),
    tokens: createSessionTokenStore(database),
    quotes: createQuoteStore(database),
    replayGuard: createReplayGuard(database, environment),
    partners: createPartnerDirectory({ database, environment, seal }),
    funds: createFundsAccount(database),
    payoutJournal: createPayoutJournal(database),
    payoutStops: createPayoutStops(database),
    restoreWatch: restoreWatchOn(database),
    verifyNamespace: () => Promise.resolve(),
    rechecks: createPayoutRechecks(database),
    paidAsks: createPaidAsks(database),
    lostCommits: createLostCommits(database),
    claims: createPaymentClaims(database),
    webhooks: createWebhookStore(database, seal),
  };
}

export function anIntentId(): IntentId {
  return makeIntentId(NOON.getTime(), randomBytes(ID_RANDOM_BYTES));
}

export function anEventId() {
  return makeEventId(NOON.getTime(), randomBytes(ID_RANDOM_BYTES));
}

export function aNonce(): string {
  return randomBytes(32).toString('hex');
}

/** The installation of all test processes. */
export const INSTALLATION = createInstallation(INSTALLATION_KEY);

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** A use of a new token of the partner, valid for ten minutes from {@link NOON}. */
export function aTokenUse(partner: TestPartner, jti = aNonce()): TokenUse {
  return {
    partnerId: partner.partnerId,
    jtiHash: sha256(jti).toString('hex'),
    expiresAtMs: NOON.getTime() + 600_000,
  };
}

export function aCreateCommand(
  partner: TestPartner,
  overrides: Partial<CreateIntentCommand> = {},
): CreateIntentCommand {
  return {
    caller: partner.caller(),
    intentId: anIntentId(),
    partnerUserId: 'user-4711',
    amountUsdCents: usdCents(1_250),
    corridor: 'th_qrpay',
    timeToLiveSeconds: TTL_SECONDS,
    isAmountAllowed: true,
    idempotency: undefined,
    ...overrides,
  };
}

interface IntentOptions extends Partial<CreateIntentCommand> {
  readonly status?: IntentStatus;
}

/** The events that bring an intent to a status. */
const EVENTS_TO_STATUS: Readonly<Record<IntentStatus, readonly IntentEvent[]>> = {
  created: [],
  authorized: ['authorize'],
  captured: ['authorize', 'capture'],
  failed: ['authorize', 'fail'],
  expired: ['expire'],
  cancelled: ['cancel'],
  refunded: ['authorize', 'capture', 'refund'],
};
const STATUS_BEFORE: Partial<Record<IntentEvent, IntentStatus>> = {
  capture: 'authorized',
  fail: 'authorized',
  refund: 'captured',
};

/** An intent of the partner in the given status. A captured one was debited before. */
export async function anIntent(
  bed: TestBed,
  partner: TestPartner,
  { status = 'created', ...overrides }: IntentOptions = {},
): Promise<PaymentIntent> {
  // An intent to expire gets no time to live, so that no clock has to change.
  const timeToLiveSeconds = status === 'expired' ? 0 : TTL_SECONDS;
  const command = aCreateCommand(partner, { timeToLiveSeconds, ...overrides });
  const created = await bed.intents.create(command);
  if (created.outcome !== 'created') throw new Error(`not created: ${created.outcome}`);
  const { intentId, amountUsdCents } = created.intent;
  for (const event of EVENTS_TO_STATUS[status]) {
    if (event === 'capture') await bed.funds.debit(intentId, amountUsdCents);
    await move(bed, intentId, event);
  }
  return findExisting(bed, intentId);
}

/** An authorized and debited intent of the partner, without a payout. */
export async function aDebitedIntent(bed: TestBed, partner: TestPartner): Promise<PaymentIntent> {
  const intent = await anIntent(bed, partner, { status: 'authorized' });
  await bed.funds.debit(intent.intentId, intent.amountUsdCents);
  return intent;
}

/** The intent store inside a transaction. */
export function intentsWithin(connection: Queryable) {
  const database = within(connection);
  return createIntentStore({ database, environment: ENVIRONMENT, makeEventId: anEventId });
}

/** Wraps an open transaction as a database, for a store. */
export function within(connection: Queryable): Database {
  return {
    query: (statement) => connection.query(statement),
    inTransaction: (work) => work(connection),
    close: () => Promise.resolve(),
  };
}

/**
 * One transition through the store, by default from the usual status of the event. A capture and a
 * failure get what they need: the provider's answer, or for an operator a verified resolution.
 */
export async function move(
  bed: Pick<TestBed, 'intents'> & { readonly database?: Queryable },
  intentId: IntentId,
  event: IntentEvent,
  more: Partial<TransitionCommand> = {},
): Promise<TransitionReport> {
  const from = STATUS_BEFORE[event] ?? 'created';
  const command = { intentId, from, event, actor: 'test', ...more };
  if (event !== 'capture' && event !== 'fail') return bed.intents.transition(command);
  return moveProven(bed, {
    ...command,
    event,
    ...(more.actor === undefined && { actor: 'system' }),
  });
}

export async function findExisting(bed: TestBed, intentId: IntentId): Promise<PaymentIntent> {
  const intent = await bed.intents.find(intentId);
  if (intent === undefined) throw new Error(`no row for ${intentId}`);
  return intent;
}

/** The sum of an account's entries. */
export async function balanceOf(bed: TestBed, accountId: string): Promise<number> {
  const { rows } = await bed.database.query<{ readonly balance: number }>({
    text: `select coalesce(sum(amount_usd_cents), 0)::bigint as balance
             from ledger_entries where account_id = $1`,
    values: [accountId],
  });
  return rows[0]?.balance ?? 0;
}

/** The single number that a query returns as `count`. */
export async function countOf(bed: TestBed, text: string, values: unknown[] = []): Promise<number> {
  const { rows } = await bed.database.query<{ readonly count: number }>({ text, values });
  return Number(rows[0]?.count);
}

export function times<Result>(
  count: number,
  run: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

/**
 * Jest runs a test file in a separate realm, where Node's errors are no instances of `Error`. Call
 * this at the top of a file to make `instanceof Error` work as in the product's processes.
 */
export function recogniseErrorsOfNode(): void {
  Object.defineProperty(Error, Symbol.hasInstance, {
    // Configurable, because a fixture of the file may have called this already.
    configurable: true,
    value(this: unknown, value: unknown): boolean {
      if (this === Error) return types.isNativeError(value);
      return Function.prototype[Symbol.hasInstance].call(this as () => void, value);
    },
  });
}
