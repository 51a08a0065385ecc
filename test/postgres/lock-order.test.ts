// Whatever takes both an intent and balance slots takes the intent first and the slots in the order of their ids
// (decision 101): debits of several slots, ends that give money back and fundings never wait for each other in a ring. The debit
// that goes with an authorize waits for no slot (joined-debit.test.ts).
import { usdCents } from '../../src/domain/money';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { Database } from '../../src/postgres/database';
import { createFundsAccount } from '../../src/postgres/funds-account';
import { fundHolding } from '../../src/postgres/holding';
import { anIntent, balanceOf, openTestBed, times, type TestBed } from '../support/builders';
import { emptyHolding, inSlots } from '../support/holding-account';
import { aPartner, type TestPartner } from '../support/partner';

const SLOTS = 16;
/** More than any one slot has, so that every debit draws from several. */
const IN_A_SLOT = 100;
const AMOUNT = 150;

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed({ fundedUsdCents: 0, poolSize: 24 });
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(() => emptyHolding(bed));

const authorized = (): Promise<PaymentIntent> =>
  anIntent(bed, partner, { status: 'authorized', amountUsdCents: usdCents(AMOUNT) });
const debit = ({ intentId, amountUsdCents }: PaymentIntent) =>
  bed.funds.debit(intentId, amountUsdCents);
const fail = ({ intentId }: PaymentIntent) =>
  bed.intents.transition({ intentId, from: 'authorized', event: 'fail', actor: 'system' });
const fund = (amountUsdCents: number, key: string) =>
  fundHolding(bed.database, { key, amountUsdCents, actor: 'test' });

/** Waits, by asking Postgres, until that many statements in this database wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  let waiting = 0;
  while (waiting < count) {
    // Not within a transaction, which would see the activity of its first look again and again.
    const { rows } = await bed.database.query({
      text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    });
    waiting = rows.length;
  }
}

/** An account whose slow path begins only when it is let, and that says when it would have begun. */
function heldBack(database: Database) {
  let begin: () => void = () => undefined;
  const mayBegin = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let arrive: () => void = () => undefined;
  const hasArrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const funds = createFundsAccount({
    ...database,
    inTransaction: async (work) => {
      arrive();
      await mayBegin;
      return database.inTransaction(work);
    },
  });
  return { funds, hasArrived, begin };
}

it('a repeated debit of several slots and the end that gives it back do not wait in a ring', async () => {
  await fund(SLOTS * IN_A_SLOT, 'fund:one');
  const intent = await authorized();
  const late = heldBack(bed.database);
  const repeated = late.funds.debit(intent.intentId, intent.amountUsdCents);
  await late.hasArrived;
  await expect(debit(intent)).resolves.toBe('debited');
  const ended = await bed.database.inTransaction(async (connection) => {
    await connection.query({ text: 'select from holding_slots where slot = 15 for update' });
    late.begin();
    await untilWaiting(1);
    const ending = fail(intent);
    await untilWaiting(2);
    return { ending };
  });
  await expect(repeated).resolves.toBe('debited');
  await expect(ended.ending).resolves.toMatchObject({ outcome: 'did', status: 'failed' });
  expect(await inSlots(bed)).toBe(SLOTS * IN_A_SLOT);
  expect(await balanceOf(bed, 'held')).toBe(0);
});

/** Repeats what Postgres refused, as Temporal would, and notes why: a busy database may say no, a ring may not be. */
async function untilTaken<Result>(run: () => Promise<Result>, refused: string[]): Promise<Result> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      refused.push(codeOf(error) ?? codeOf(causeOf(error)) ?? String(error));
      if (refused.length > 1_000) throw error;
    }
  }
}

function causeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
}

function codeOf(error: unknown): string | undefined {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && error.code !== 'unavailable' ? String(error.code) : undefined;
}

const DEADLOCK = '40P01';

it('debits of several slots, their repeats, ends and fundings at once lose nothing and never wait in a ring', async () => {
  const refused: string[] = [];
  const intents = await times(32, authorized);
  await fund(32 * AMOUNT, 'fund:start');
  const debitAndEnd = async (intent: PaymentIntent, index: number) => {
    const debits = [intent, intent].map((one) => untilTaken(() => debit(one), refused));
    await Promise.all(debits);
    if (index % 2 === 1) return;
    await Promise.all([
      untilTaken(() => fail(intent), refused),
      untilTaken(() => debit(intent), refused),
    ]);
  };
  const fundings = times(12, (index) =>
    untilTaken(() => fund(160 + index, `fund:${String(index)}`), refused),
  );
  await Promise.all([...intents.map(debitAndEnd), fundings]);
  expect(refused).not.toContain(DEADLOCK);
  const held = await balanceOf(bed, 'held');
  expect(held).toBe(16 * AMOUNT);
  expect(await inSlots(bed)).toBe(32 * AMOUNT + 12 * 160 + 66 - held);
  expect(await inSlots(bed)).toBe(await balanceOf(bed, 'holding'));
});

it('fundings and debits of several slots do not wait for each other in a ring', async () => {
  const refused: string[] = [];
  await fund(SLOTS * IN_A_SLOT, 'fund:one');
  const intents = await times(8, authorized);
  await Promise.all([
    ...intents.map((intent) => untilTaken(() => debit(intent), refused)),
    times(8, (index) => untilTaken(() => fund(SLOTS, `fund:more-${String(index)}`), refused)),
  ]);
  expect(refused).not.toContain(DEADLOCK);
  expect(await inSlots(bed)).toBe(SLOTS * IN_A_SLOT + 8 * SLOTS - 8 * AMOUNT);
  expect(await inSlots(bed)).toBe(await balanceOf(bed, 'holding'));
});

describe('a debit that goes with an authorize is judged by what the slots hold now, not by what they held', () => {
  const BEFORE = 200;
  const LEFT = 10;

  /** Authorizes an intent whose row is held while the slots change, so that the statement has begun before. */
  async function authorizedMeanwhile(change: string) {
    await fund(SLOTS * BEFORE, 'fund:one');
    const { intentId } = await anIntent(bed, partner, { amountUsdCents: usdCents(AMOUNT) });
    const { authorizing } = await bed.database.inTransaction(async (connection) => {
      await connection.query({
        text: 'select from payment_intents where intent_id = $1 for update',
        values: [intentId],
      });
      const authorizing = bed.intents.transition({
        ...{ intentId, from: 'created', event: 'authorize', actor: 'test' },
        debitUsdCents: usdCents(AMOUNT),
      });
      await untilWaiting(1);
      await bed.database.query({ text: change });
      // Wrapped, or it would be waited for before the row is let go.
      return { authorizing };
    });
    return authorizing;
  }

  it('and taken from the one that still has enough', async () => {
    const change = `update holding_slots set balance_usd_cents = case slot when 5 then ${String(AMOUNT + LEFT)} else ${String(LEFT)} end`;
    await expect(authorizedMeanwhile(change)).resolves.toMatchObject({ isDebited: true });
    expect(await inSlots(bed)).toBe(SLOTS * LEFT);
  });

  it('and left to a step of its own where none has', async () => {
    const change = `update holding_slots set balance_usd_cents = ${String(LEFT)}`;
    const report = await authorizedMeanwhile(change);
    expect(report).toMatchObject({ outcome: 'did', status: 'authorized' });
    expect(report).not.toHaveProperty('isDebited');
    expect(await inSlots(bed)).toBe(SLOTS * LEFT);
  });
});
