// Prepares payments to confirm: creates their rows and starts their workflows by the functions that
// the API uses. It awaits both, so that no such work is left when a block begins.
import { randomBytes } from 'node:crypto';
import { promise as queueOf } from 'fastq';
import { until } from '../../../src/dev/until';
import type { Corridor } from '../../../src/corridors/names';
import { ID_RANDOM_BYTES, makeIntentId } from '../../../src/domain/ids';
import { INTENT_TTL_DEFAULT_SECONDS } from '../../../src/domain/limits';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { toPaymentStart } from '../../../src/domain/intents/payment-start';
import { createDatabase, type Database } from '../../../src/postgres/database';
import { fundHoldingAccount } from '../../../src/postgres/ledger/holding-account';
import { createIntentStore } from '../../../src/postgres/intents/store';
import { createPaymentClaims } from '../../../src/postgres/intents/claims';
import { connectTemporal } from '../../../src/temporal/connection';
import { startPayment } from '../../../src/temporal/payment-start';
import { aCreateCommand, anEventId, ENVIRONMENT, INSTALLATION } from '../../support/builders';
import type { TestPartner } from '../../support/payments/partner';
import type { TemporalTarget } from '../environments';
import type { World } from '../world';

export interface Payments {
  readonly database: Database;
  /**
   * Creates payments of these partners in turn and starts their workflows. Their deadline is in
   * half an hour by default.
   */
  begin(
    partners: readonly TestPartner[],
    count: number,
    options?: BeginOptions,
  ): Promise<readonly Begun[]>;
  /**
   * Returns when every authorized payment is captured and no webhook is pending.
   * @throws Error after a minute
   */
  untilDelivered(): Promise<void>;
}

export interface BeginOptions {
  readonly deadlineMs?: number;
  readonly corridor?: Corridor;
  /** What each payer scans. */
  readonly code?: string;
  /** Whether every start is lost: the rows say that their workflows were started. */
  readonly areStartsLost?: boolean;
}

export interface Begun {
  readonly intent: PaymentIntent;
  readonly partner: TestPartner;
  readonly code?: string | undefined;
}

/** Enough for some millions of payments of USD 12.50. */
const FUNDED_USD_CENTS = 16_000_000_000;
const AT_ONCE = 16;
const DELIVERED_WITHIN_MS = 60_000;
const STARTED_WITHIN_MS = 60_000;
/** The API tries a start for five seconds, and its queue is short enough to be empty by then. */
const LEFT_AFTER_MS = 30_000;
const UNSTARTED = `check_at < now() + interval '1 minute' and status = 'created'`;
const READ_EVERY_MS = 5;

/** Without Temporal no workflow is started. */
export async function openPayments(
  world: World,
  url: string,
  temporal?: TemporalTarget,
): Promise<Payments> {
  const database = createDatabase({ url, poolSize: AT_ONCE, onLostConnection: () => undefined });
  world.atTheEnd(() => database.close());
  const client = temporal === undefined ? undefined : connectTemporal(temporal);
  world.atTheEnd(() => client?.connection.close());
  const funding = { key: 'fund:bench', amountUsdCents: FUNDED_USD_CENTS, actor: 'bench' };
  await fundHoldingAccount(database, funding);
  const claims = createPaymentClaims(database);
  return {
    database,
    async begin(partners, count, options = {}) {
      const { areStartsLost = false, code } = options;
      const queue = queueOf(async (partner: TestPartner) => {
        const intent = await createIntent(database, partner, options);
        const start = toPaymentStart(intent, INSTALLATION.id);
        if (client !== undefined && !areStartsLost) await startPayment(client, start, new Date());
        return { intent, partner, code };
      }, AT_ONCE);
      const begun = await Promise.all(inTurn(partners, count).map((one) => queue.push(one)));
      if (client !== undefined)
        await claims.markStarted(begun.map(({ intent }) => intent.intentId));
      return begun;
    },
    async untilDelivered() {
      const isDelivered = async () => {
        // Both queries use small partial indexes: rows with a check_at, and pending events.
        const text = `select 1 from payment_intents where status = 'authorized' and check_at is not null
                      union all select 1 from webhook_events where state = 'pending' limit 1`;
        return (await database.query({ text })).rows.length === 0;
      };
      if (await until(isDelivered, { timeoutMs: DELIVERED_WITHIN_MS, everyMs: READ_EVERY_MS }))
        return;
      throw new Error('payments or webhooks are still under way after a minute');
    },
  };
}

async function createIntent(
  database: Database,
  partner: TestPartner,
  { deadlineMs, corridor = 'th_qrpay' }: BeginOptions,
): Promise<PaymentIntent> {
  const intents = createIntentStore({ database, environment: ENVIRONMENT, makeEventId: anEventId });
  const intentId = makeIntentId(Date.now(), randomBytes(ID_RANDOM_BYTES));
  const timeToLiveSeconds =
    deadlineMs === undefined
      ? INTENT_TTL_DEFAULT_SECONDS
      : Math.round((deadlineMs - Date.now()) / 1_000);
  // Each is another payer's, as with a partner that has many.
  const order = { intentId, timeToLiveSeconds, corridor };
  const command = aCreateCommand(partner, { ...order, partnerUserId: intentId });
  const created = await intents.create(command);
  if (created.outcome !== 'created') throw new Error(`not created: ${created.outcome}`);
  return deadlineMs === undefined ? created.intent : aged(database, created.intent);
}

/**
 * Makes the row as old as with the time to live of production, and marks its workflow as started,
 * so that the workflow repairer starts none while others are made.
 */
async function aged(database: Database, intent: PaymentIntent): Promise<PaymentIntent> {
  const { intentId, expiresAt } = intent;
  const createdAt = new Date(expiresAt.getTime() - INTENT_TTL_DEFAULT_SECONDS * 1_000);
  const text = `update payment_intents set created_at = $2, check_at = expires_at
                 where intent_id = $1`;
  await database.query({ text, values: [intentId, createdAt] });
  return { ...intent, createdAt };
}

/** @returns that many items, repeating the list as often as needed */
export function inTurn<Item>(items: readonly Item[], count: number): readonly Item[] {
  const laps = Math.ceil(count / items.length);
  return Array.from({ length: laps }, () => items)
    .flat()
    .slice(0, count);
}

/**
 * Returns when the workflow of every created intent is started: its row is then checked only after
 * its deadline, half an hour later.
 * @throws Error after a minute
 */
export async function untilStarted(database: Database): Promise<void> {
  if (await areStarted(database, STARTED_WITHIN_MS)) return;
  throw new Error('workflows are still not started after a minute');
}

/**
 * The same for a bench without worker, whose workflow repairer would start workflows that the API
 * could not start.
 * @returns how many workflows the API did not start; later calls do not wait for them
 */
export async function startedOrLeft(database: Database): Promise<number> {
  if (await areStarted(database, LEFT_AFTER_MS)) return 0;
  const text = `update payment_intents set check_at = expires_at where ${UNSTARTED} returning 1`;
  return (await database.query({ text })).rows.length;
}

function areStarted(database: Database, timeoutMs: number): Promise<boolean> {
  const text = `select 1 from payment_intents where ${UNSTARTED} limit 1`;
  return until(async () => (await database.query({ text })).rows.length === 0, { timeoutMs });
}
