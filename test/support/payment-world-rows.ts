// The rows that a payment world begins with: its clock, a partner with a key, and money in the holding account.
import { randomBytes } from 'node:crypto';
import {
  ID_RANDOM_BYTES,
  makeIntentId,
  parsePartnerId,
  type PartnerId,
} from '../../src/domain/ids';
import { usdCents } from '../../src/domain/money';
import type { PaymentStart } from '../../src/domain/payment-start';
import { createPartner } from '../../src/ops/create-partner';
import type { IntentStore } from '../../src/ports/intent-store';
import type { Database } from '../../src/postgres/database';
import { fundHolding } from '../../src/postgres/holding';
import { createSecretSeal } from '../../src/signing/sealed-secret';
import { INSTALLATION } from './builders';

const TIME_TO_LIVE_SECONDS = 1_800;
export const FUNDS_USD_CENTS = 1_000_000;

export interface WorldPartner {
  readonly partnerId: PartnerId;
  readonly keyId: string;
}

/** Postgres' one clock reads a table that the test sets (decision 15). */
export async function followClock(database: Database): Promise<void> {
  await database.query({ text: 'create table test_clock (at timestamptz not null)' });
  await database.query({ text: 'insert into test_clock values (now())' });
  await database.query({
    text: `create or replace function service_now() returns timestamptz language sql volatile
           as 'select at from test_clock'`,
  });
}

export async function onboard(database: Database): Promise<WorldPartner> {
  const seal = createSecretSeal(randomBytes(32));
  const jwksUrl = 'http://127.0.0.1:9/.well-known/jwks.json';
  const made = await createPartner(
    { database, seal, now: new Date(0) },
    { name: 'world', jwksUrl, allow: ['127.0.0.1/32'], returnScheme: [], env: 'sandbox' },
  );
  await fundHolding(database, { key: 'fund:test', amountUsdCents: FUNDS_USD_CENTS, actor: 'test' });
  const partnerId = parsePartnerId(made.partner_id);
  if (partnerId === undefined) throw new Error('the partner has no id');
  return { partnerId, keyId: made.key_id };
}

export async function createIntentOf(
  { partnerId, keyId }: WorldPartner,
  intents: IntentStore,
  cents: number,
): Promise<PaymentStart> {
  const created = await intents.create({
    caller: { partnerId, keyId, address: '127.0.0.1', nonce: randomBytes(32).toString('hex') },
    intentId: makeIntentId(Date.now(), randomBytes(ID_RANDOM_BYTES)),
    partnerUserId: 'u',
    amountUsdCents: usdCents(cents),
    corridor: 'th_qrpay',
    isAmountAllowed: true,
    timeToLiveSeconds: TIME_TO_LIVE_SECONDS,
    idempotency: undefined,
  });
  if (created.outcome !== 'created') throw new Error(`not created: ${created.outcome}`);
  const { intentId, amountUsdCents, corridor, status, createdAt, expiresAt } = created.intent;
  return {
    intentId,
    partnerId,
    amountUsdCents,
    corridor,
    status,
    createdAtMs: createdAt.getTime(),
    expiresAtMs: expiresAt.getTime(),
    installationId: INSTALLATION.id,
  };
}
