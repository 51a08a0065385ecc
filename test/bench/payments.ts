// Payments that are ready to be confirmed: their rows made and their runs started by the doors that the API itself goes through,
// and both awaited, so that nothing of it is left when a block begins.
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { until } from '../../src/dev/until';
import { ID_RANDOM_BYTES, makeIntentId } from '../../src/domain/ids';
import { INTENT_TTL_DEFAULT_SECONDS } from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { toPaymentStart } from '../../src/domain/payment-start';
import { createDatabase, type Database } from '../../src/postgres/database';
import { fundHolding } from '../../src/postgres/holding';
import { createIntentStore } from '../../src/postgres/intent-store';
import { createPaymentSweep } from '../../src/postgres/payment-sweep';
import { connectTemporal } from '../../src/temporal/connection';
import { startPayment } from '../../src/temporal/payment-start';
import { aCreateCommand, anEventId, ENVIRONMENT, INSTALLATION } from '../support/builders';
import type { TestPartner } from '../support/partner';
import type { TemporalTarget } from './environments';

export interface Payments {
  readonly database: Database;
  /** Of these partners in turn, `created` and their runs waiting. Their deadline is in half an hour unless told. */
  begin(
    partners: readonly TestPartner[],
    count: number,
    deadlineMs?: number,
  ): Promise<readonly Begun[]>;
  /** Comes back when every authorized payment is captured and no webhook is owed. @throws Error when that takes a minute */
  untilTold(): Promise<void>;
  close(): Promise<void>;
}

export interface Begun {
  readonly intent: PaymentIntent;
  readonly partner: TestPartner;
}

/** A payment is USD 12.50: for some millions of them. */
const FUNDED_USD_CENTS = 16_000_000_000;
const AT_ONCE = 16;
const TOLD_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 5;

/** Without Temporal no run is started. */
export async function openPayments(url: string, temporal?: TemporalTarget): Promise<Payments> {
  const database = createDatabase({ url, poolSize: AT_ONCE, onLostConnection: () => undefined });
  const client = temporal === undefined ? undefined : connectTemporal(temporal);
  const funding = { key: 'fund:bench', amountUsdCents: FUNDED_USD_CENTS, actor: 'bench' };
  await fundHolding(database, funding);
  const sweep = createPaymentSweep(database);
  return {
    database,
    async begin(partners, count, deadlineMs) {
      const wish = { partners, deadlineMs };
      const begun = await inTurn(count, (index) => beginOne({ database, client }, wish, index));
      if (client !== undefined) await sweep.markStarted(begun.map(({ intent }) => intent.intentId));
      return begun;
    },
    async untilTold() {
      const isTold = async () => {
        // Both by small indexes: on rows that are to be looked at, and on what is owed.
        const text = `select 1 from payment_intents where status = 'authorized' and check_at is not null
                      union all select 1 from webhook_events where state = 'owed' limit 1`;
        return (await database.query({ text })).rows.length === 0;
      };
      if (await until(isTold, { timeoutMs: TOLD_WITHIN_MS, everyMs: LOOK_EVERY_MS })) return;
      throw new Error('payments or webhooks are still under way after a minute');
    },
    async close() {
      await client?.connection.close();
      await database.close();
    },
  };
}

interface Doors {
  readonly database: Database;
  readonly client: Client | undefined;
}

interface Wish {
  readonly partners: readonly TestPartner[];
  readonly deadlineMs: number | undefined;
}

async function beginOne(
  { database, client }: Doors,
  { partners, deadlineMs }: Wish,
  index: number,
): Promise<Begun> {
  const partner = partners[index % partners.length];
  if (partner === undefined) throw new Error('payments need a partner');
  const intents = createIntentStore({ database, environment: ENVIRONMENT, makeEventId: anEventId });
  const intentId = makeIntentId(Date.now(), randomBytes(ID_RANDOM_BYTES));
  const life =
    deadlineMs === undefined
      ? {}
      : { timeToLiveSeconds: Math.round((deadlineMs - Date.now()) / 1_000) };
  const created = await intents.create(aCreateCommand(partner, { intentId, ...life }));
  if (created.outcome !== 'created') throw new Error(`not created: ${created.outcome}`);
  const intent = deadlineMs === undefined ? created.intent : await aged(database, created.intent);
  if (client !== undefined) {
    await startPayment(client, toPaymentStart(intent, INSTALLATION.id), new Date());
  }
  return { intent, partner };
}

/** As old as it would be, had it been made with the time to live that production has. */
async function aged(database: Database, intent: PaymentIntent): Promise<PaymentIntent> {
  const { intentId, expiresAt } = intent;
  const createdAt = new Date(expiresAt.getTime() - INTENT_TTL_DEFAULT_SECONDS * 1_000);
  const text = 'update payment_intents set created_at = $2 where intent_id = $1';
  await database.query({ text, values: [intentId, createdAt] });
  return { ...intent, createdAt };
}

/** A few at once, in the order of their indexes. */
async function inTurn<Result>(
  count: number,
  run: (index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      results[index] = await run(index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
