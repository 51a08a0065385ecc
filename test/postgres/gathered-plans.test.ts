// By which plan the statements of many callers run (decision 121): each row by its key, over empty tables and over full ones, and the
// plan is kept.
import type { QueryConfig, QueryResultRow } from 'pg';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { Database } from '../../src/postgres/database';
import { createIntentStore } from '../../src/postgres/intent-store';
import { createSessionTokenStore } from '../../src/postgres/session-tokens';
import {
  aCreateCommand,
  anEventId,
  anIntent,
  aTokenUse,
  ENVIRONMENT,
  openTestBed,
  type TestBed,
} from '../support/builders';
import { aPartner, type TestPartner } from '../support/partner';

let bed: TestBed;
let partner: TestPartner;
let intent: PaymentIntent;

beforeAll(async () => {
  // One connection, which counts what it has planned.
  bed = await openTestBed({ poolSize: 1 });
  partner = await aPartner(bed);
  intent = await anIntent(bed, partner);
});
afterAll(() => bed.close());

const storesOver = (database: Database) => ({
  tokens: createSessionTokenStore(database),
  intents: createIntentStore({ database, environment: ENVIRONMENT, makeEventId: anEventId }),
});

/** The plans that hold for any parameters, of a look at tokens, of signed reads and of creates. */
async function plansOfGathered() {
  const plans: string[] = [];
  // As in the interface: the statement decides the row.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  const query = async <Row extends QueryResultRow>(statement: QueryConfig) => {
    const plan = await bed.database.query({ text: `explain (generic_plan) ${statement.text}` });
    plans.push(JSON.stringify(plan.rows));
    return bed.database.query<Row>(statement);
  };
  const { tokens, intents } = storesOver({ ...bed.database, query });
  await tokens.look(intent.intentId, partner.partnerId, aTokenUse(partner).jtiHash);
  await intents.findSigned(partner.caller(), intent.intentId);
  await intents.create(aCreateCommand(partner));
  const [look = '', read = '', create = ''] = plans;
  return { look, read, create };
}

const SCANNED = /Seq Scan on (payment_intents|used_tokens|request_nonces)/;

function expectKeysOnly({ look, read, create }: Awaited<ReturnType<typeof plansOfGathered>>): void {
  expect(look).toMatch(/payment_intents_pkey.*Index Cond.*used_tokens_pkey.*Index Cond/);
  expect(read).toMatch(/payment_intents_pkey.*Index Cond/);
  expect(look).not.toMatch(SCANNED);
  expect(create).toMatch(/payment_intents_by_idempotency_key.*Index Cond/);
  expect(read).not.toMatch(SCANNED);
  expect(create).not.toMatch(SCANNED);
}

it('finds each row by its key over tables that are new', async () => {
  expectKeysOnly(await plansOfGathered());
});

it('keeps the plan, however few callers there are', async () => {
  for (let asked = 0; asked < 12; asked += 1) {
    await bed.tokens.look(intent.intentId, partner.partnerId, aTokenUse(partner).jtiHash);
    await bed.intents.findSigned(partner.caller(), intent.intentId);
    await bed.intents.create(aCreateCommand(partner));
  }
  const { rows } = await bed.database.query({
    text: `select name, custom_plans, generic_plans >= 7 as is_kept from pg_prepared_statements
            where name in ('look-at-tokens', 'find-signed', 'create-intent') order by name`,
  });
  // Postgres tries five times whether a plan of its own for these parameters is cheaper.
  expect(rows).toEqual([
    { name: 'create-intent', custom_plans: 5, is_kept: true },
    { name: 'find-signed', custom_plans: 5, is_kept: true },
    { name: 'look-at-tokens', custom_plans: 5, is_kept: true },
  ]);
});

it('finds each row by its key among 100 000, before Postgres has counted them and after', async () => {
  // In parts, since a busy machine writes them all in more time than a statement has.
  for (let first = 1; first <= 100_000; first += 10_000) {
    const values = [partner.partnerId, first, intent.intentId];
    for (const text of [
      `insert into payment_intents (intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, created_at, expires_at)
       select 'pi_1' || lpad(n::text, 25, '0'), $1, $3, 1, 'th_qrpay', service_now(), service_now()
         from generate_series($2::int, $2 + 9999) as n`,
      `insert into used_tokens (partner_id, jti_hash, intent_id, expires_at)
       select $1, sha256(n::text::bytea), $3, service_now() from generate_series($2::int, $2 + 9999) as n`,
    ]) {
      await bed.database.query({ text, values });
    }
  }
  expectKeysOnly(await plansOfGathered());
  await bed.database.query({ text: 'vacuum analyze payment_intents' });
  await bed.database.query({ text: 'vacuum analyze used_tokens' });
  expectKeysOnly(await plansOfGathered());
});
