// A batch of deadlines beside everything else (record 132): while its transaction holds its rows, other payments go on, readers
// read, and its rows are found by their indexes. A statement that waited for it would be cut off by the statement timeout.
import type { QueryConfig, QueryResultRow } from 'pg';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { Database, Queryable } from '../../src/postgres/database';
import { createIntentStore } from '../../src/postgres/intent-store';
import { createPaymentSweep } from '../../src/postgres/payment-sweep';
import {
  aCreateCommand,
  anEventId,
  anIntent,
  aTokenUse,
  ENVIRONMENT,
  openTestBed,
  times,
  type TestBed,
} from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

const LIFE_SECONDS = 60;
const BATCH = 50;

let bed: TestBed;
let partner: TestPartner;
let overdue: readonly PaymentIntent[];

beforeAll(async () => {
  bed = await openTestBed({ poolSize: 12 });
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(async () => {
  await bed.setNow(NOON);
  overdue = await times(BATCH, () => anIntent(bed, partner, { timeToLiveSeconds: LIFE_SECONDS }));
  await bed.setNow(secondsAfter(NOON, LIFE_SECONDS));
});

const storeOver = (connection: Queryable) =>
  createIntentStore({
    database: { ...bed.database, query: (statement) => connection.query(statement) },
    environment: ENVIRONMENT,
    makeEventId: anEventId,
  });
const ids = () => overdue.map(({ intentId }) => intentId);

/** Works while the batch has moved its rows and has not committed. */
function whileExpiring<Result>(work: () => Promise<Result>): Promise<Result> {
  return bed.database.inTransaction(async (connection) => {
    await expect(storeOver(connection).expireOverdue(ids())).resolves.toBe(BATCH);
    return work();
  });
}

it('other payments are created, confirmed and cancelled meanwhile', async () => {
  const outcomes = await whileExpiring(async () => {
    const others = await times(10, () => anIntent(bed, partner));
    await times(10, () => bed.intents.create(aCreateCommand(partner)));
    return Promise.all(
      others.map(async ({ intentId }, nth) => {
        const command = { intentId, from: 'created', actor: 'x' } as const;
        const { outcome } = await (nth % 2 === 0
          ? bed.intents.transition({ ...command, event: 'authorize', token: aTokenUse(partner) })
          : bed.intents.transition({ ...command, event: 'cancel' }));
        return outcome;
      }),
    );
  });
  expect(outcomes).toEqual(Array(10).fill('did'));
});

it('its payments are read meanwhile', async () => {
  const read = await whileExpiring(() => Promise.all(ids().map((id) => bed.intents.find(id))));
  expect(new Set(read.map((intent) => intent?.status))).toEqual(new Set(['created']));
});

it('a second batch passes over its rows and expires the rest', async () => {
  const more = await times(5, () => anIntent(bed, partner, { timeToLiveSeconds: 0 }));
  const both = [...ids(), ...more.map(({ intentId }) => intentId)];
  await expect(whileExpiring(() => bed.intents.expireOverdue(both))).resolves.toBe(5);
});

/** The plans that hold for any parameters, of a claim and of the statement for many. */
async function plans(): Promise<readonly string[]> {
  const texts: string[] = [];
  // As in the interface: the statement decides the row.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  const query = async <Row extends QueryResultRow>(statement: QueryConfig) => {
    const text = `explain (generic_plan) ${statement.text}`;
    texts.push(JSON.stringify((await bed.database.query({ text })).rows));
    return bed.database.query<Row>(statement);
  };
  const database: Database = { ...bed.database, query };
  await createPaymentSweep(database).claimOverdue(1);
  await storeOver(database).expireOverdue([]);
  return texts;
}

it('finds its rows by their indexes among 100 000', async () => {
  for (let first = 1; first <= 100_000; first += 10_000) {
    await bed.database.query({
      text: `insert into payment_intents (intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, created_at, expires_at)
             select 'pi_1' || lpad(n::text, 25, '0'), $1, 'u', 1, 'th_qrpay', service_now(), service_now()
               from generate_series($2::int, $2 + 9999) as n`,
      values: [partner.partnerId, first],
    });
  }
  await bed.database.query({ text: 'vacuum analyze payment_intents' });
  const [claim, expire] = await plans();
  expect(claim).toMatch(/payment_intents_to_check.*Index Cond/);
  expect(expire).toMatch(/payment_intents_pkey.*Index Cond/);
  for (const plan of [claim, expire]) expect(plan).not.toContain('Seq Scan on payment_intents');
});
