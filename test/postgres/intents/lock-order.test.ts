// Whatever takes both an intent and the balance of the holding account takes the intent first (decision 101), so that
// authorizes, debits, ends that give money back and fundings never wait for each other in a ring.
import { usdCents } from '../../../src/domain/money';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { fundHoldingAccount } from '../../../src/postgres/ledger/holding-account';
import { withDatabase, withPartner } from '../../support/brackets';
import { anIntent, balanceOf, move, times } from '../../support/builders';
import { emptyHolding, holdingBalance } from '../../support/payments/holding-account';

const AMOUNT = 150;

const bed = withDatabase({ fundedUsdCents: 0, poolSize: 24 });
const partner = withPartner(bed);
beforeEach(() => emptyHolding(bed));

const authorized = (): Promise<PaymentIntent> =>
  anIntent(bed, partner, { status: 'authorized', amountUsdCents: usdCents(AMOUNT) });
const debit = ({ intentId, amountUsdCents }: PaymentIntent) =>
  bed.funds.debit(intentId, amountUsdCents);
const fail = ({ intentId }: PaymentIntent) => move(bed, intentId, 'fail');
const fund = (amountUsdCents: number, key: string) =>
  fundHoldingAccount(bed.database, { key, amountUsdCents, actor: 'test' });

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

it('authorizes, debits, their repeats, ends and fundings at once lose nothing and never wait in a ring', async () => {
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
  expect(await holdingBalance(bed)).toBe(32 * AMOUNT + 12 * 160 + 66 - held);
  expect(await holdingBalance(bed)).toBe(await balanceOf(bed, 'holding'));
});

describe('a debit that goes with an authorize is judged by the balance now, not by what it was when the statement began', () => {
  /** Authorizes an intent whose row is held while the balance changes, so that the statement has begun before. */
  async function authorizedMeanwhile(before: number, after: number) {
    await fund(before, 'fund:one');
    const { intentId } = await anIntent(bed, partner, { amountUsdCents: usdCents(AMOUNT) });
    const { authorizing } = await bed.database.inTransaction(async (connection) => {
      await connection.query({
        text: 'select from payment_intents where intent_id = $1 for update',
        values: [intentId],
      });
      const authorizing = move(bed, intentId, 'authorize', { debitUsdCents: usdCents(AMOUNT) });
      await untilWaiting(1);
      await bed.database.query({
        text: 'update holding_balance set balance_usd_cents = $1',
        values: [after],
      });
      // Wrapped, or it would be waited for before the row is let go.
      return { authorizing };
    });
    return authorizing;
  }

  it('and made where it is still enough', async () => {
    await expect(authorizedMeanwhile(2 * AMOUNT, AMOUNT + 1)).resolves.toMatchObject({
      isDebited: true,
    });
    expect(await holdingBalance(bed)).toBe(1);
  });

  it('and left to a step of its own where it is too little now', async () => {
    const report = await authorizedMeanwhile(AMOUNT, AMOUNT - 1);
    expect(report).toMatchObject({ outcome: 'did', status: 'authorized' });
    expect(report).not.toHaveProperty('isDebited');
    expect(await holdingBalance(bed)).toBe(AMOUNT - 1);
  });
});
