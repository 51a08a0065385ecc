// Whoever writes the row of a created intent past its deadline may have been in time: readers say `expired` only where nobody is
// (decision 15). `xmax` tells, also long after its transaction is over, and for several at a time.
import { until } from '../../src/dev/until';
import { EXPIRY_GRACE_MS } from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { mayBeUnderWay } from '../../src/postgres/being-written';
import type { Queryable } from '../../src/postgres/database';
import { createIntentStore } from '../../src/postgres/intent-store';
import { createGate } from '../faults/gates';
import { anEventId, anIntent, ENVIRONMENT, openTestBed, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

const LIFE_SECONDS = 60;
const PAST = secondsAfter(NOON, LIFE_SECONDS + EXPIRY_GRACE_MS / 1_000 + 1);

let bed: TestBed;
let partner: TestPartner;
beforeAll(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
});
afterAll(() => bed.close());

async function pastItsDeadline(): Promise<PaymentIntent> {
  await bed.setNow(NOON);
  const intent = await anIntent(bed, partner, { timeToLiveSeconds: LIFE_SECONDS });
  await bed.setNow(PAST);
  return intent;
}

const seen = async ({ intentId }: PaymentIntent) => (await bed.intents.find(intentId))?.status;
/** An older transaction of another test, in the same Postgres, may still be under way. */
const isSoonExpired = (intent: PaymentIntent) =>
  until(async () => (await seen(intent)) === 'expired', { timeoutMs: 10_000 });

/** A transaction that has done this and is under way until it is ended. */
async function underWay(text: string, { intentId }: PaymentIntent) {
  const [begun, mayEnd] = [createGate(), createGate()];
  let isKept = true;
  const over = bed.database.inTransaction(async (connection) => {
    await connection.query({ text, values: [intentId] });
    begun.open();
    await mayEnd.isOpen;
    if (!isKept) throw new Error('rolled back');
  });
  await begun.isOpen;
  const end = async (how: 'commit' | 'rollback') => {
    isKept = how === 'commit';
    mayEnd.open();
    await over.catch(() => undefined);
  };
  return { commit: () => end('commit'), rollBack: () => end('rollback') };
}

const UPDATE = 'update payment_intents set check_at = service_now() where intent_id = $1';
const LOCK = 'select from payment_intents where intent_id = $1 for key share';

it('an update under way reads created, and expired again once it is rolled back', async () => {
  const intent = await pastItsDeadline();
  const update = await underWay(UPDATE, intent);
  await expect(seen(intent)).resolves.toBe('created');
  await update.rollBack();
  await expect(isSoonExpired(intent)).resolves.toBe(true);
});

it('an update within a savepoint reads created, too', async () => {
  const intent = await pastItsDeadline();
  const update = await bed.database.inTransaction(async (connection) => {
    await connection.query({ text: 'savepoint one' });
    await connection.query({ text: UPDATE, values: [intent.intentId] });
    return seen(intent);
  });
  expect(update).toBe('created');
});

it('an update beside a lock, which are one multixact, reads created until both are over', async () => {
  const intent = await pastItsDeadline();
  const lock = await underWay(LOCK, intent);
  const update = await underWay(UPDATE, intent);
  await expect(membersOf(intent)).resolves.toBe(2);
  await lock.commit();
  await expect(seen(intent)).resolves.toBe('created');
  await update.rollBack();
  await expect(membersOf(intent)).resolves.toBe(2);
  await expect(isSoonExpired(intent)).resolves.toBe(true);
});

async function membersOf({ intentId }: PaymentIntent): Promise<number | undefined> {
  const { rows } = await bed.database.query<{ readonly members: number }>({
    text: `select (select count(*) from pg_get_multixact_members(i.xmax)) as members
             from payment_intents i where i.intent_id = $1`,
    values: [intentId],
  });
  return rows[0]?.members;
}

it('a lock that is over reads expired', async () => {
  const intent = await pastItsDeadline();
  const lock = await underWay(LOCK, intent);
  await expect(seen(intent)).resolves.toBe('created');
  await lock.commit();
  await expect(isSoonExpired(intent)).resolves.toBe(true);
});

it('a confirm that commits after the reader’s snapshot reads created: no later one decides', async () => {
  await bed.setNow(NOON);
  const intent = await anIntent(bed, partner, { timeToLiveSeconds: LIFE_SECONDS });
  const { intentId } = intent;
  const inSnapshot = await bed.database.inTransaction(async (connection) => {
    await connection.query({ text: 'set transaction isolation level repeatable read' });
    await connection.query({ text: 'select' });
    await bed.intents.transition({ intentId, from: 'created', event: 'authorize', actor: 'test' });
    await bed.setNow(PAST);
    return storeOver(connection).find(intentId);
  });
  expect([inSnapshot?.status, await seen(intent)]).toEqual(['created', 'authorized']);
});

function storeOver(connection: Queryable) {
  const database = { ...bed.database, query: connection.query.bind(connection) };
  return createIntentStore({ database, environment: ENVIRONMENT, makeEventId: anEventId });
}

describe('a transaction id, in a snapshot whose oldest is 100 below the wraparound and whose next is 50 above it', () => {
  const SNAPSHOT = `'4294967196:4294967346:'::pg_snapshot`;

  it.each([
    ['older than all', 4_294_967_195, false],
    ['the oldest', 4_294_967_196, true],
    ['the last before the wraparound', 4_294_967_295, true],
    ['after the wraparound', 10, true],
    ['handed out since', 60, true],
    ['far ahead, as the id of an old multixact may be', 20_000_000, false],
    ['half the ids away', 2_147_483_600, false],
  ])('%s: %d may be under way: %s', async (_which, id, expected) => {
    const text = `select ${mayBeUnderWay(`'${String(id)}'::xid`, SNAPSHOT)} as answer`;
    const { rows } = await bed.database.query<{ readonly answer: boolean }>({ text });
    expect(rows).toEqual([{ answer: expected }]);
  });
});
