// Every statement that locks both an intent and the holding account's balance locks the intent
// first (decision 101), so that authorizes, debits, releases and fundings never deadlock.
import { usdCents } from '../../../src/domain/money';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { fundHoldingAccount } from '../../../src/postgres/ledger/holding-account';
import { withDatabase, withPartner } from '../../support/brackets';
import { anIntent, balanceOf, move, times } from '../../support/builders';
import { emptyHoldingAccount, holdingBalance } from '../../support/payments/holding-account';

const AMOUNT = 150;

const bed = withDatabase({ fundedUsdCents: 0, poolSize: 24 });
const partner = withPartner(bed);
beforeEach(() => emptyHoldingAccount(bed));

const authorized = (): Promise<PaymentIntent> =>
  anIntent(bed, partner, { status: 'authorized', amountUsdCents: usdCents(AMOUNT) });
const debit = ({ intentId, amountUsdCents }: PaymentIntent) =>
  bed.funds.debit(intentId, amountUsdCents);
const fail = ({ intentId }: PaymentIntent) => move(bed, intentId, 'fail');
const fund = (amountUsdCents: number, key: string) =>
  fundHoldingAccount(bed.database, { key, amountUsdCents, actor: 'test' });

/** Polls Postgres until this many statements in this database wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  let waiting = 0;
  while (waiting < count) {
    // Not within a transaction, which would always see the activity of its first read.
    const { rows } = await bed.database.query({
      text: `select from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`,
    });
    waiting = rows.length;
  }
}

/**
 * Retries failed work, as Temporal would, and records the errors: a busy database may fail, but not
 * by a deadlock.
 */
async function untilDone<Result>(work: () => Promise<Result>, errors: string[]): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      errors.push(codeOf(error) ?? codeOf(causeOf(error)) ?? String(error));
      if (errors.length > 1_000) throw error;
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

it('simultaneous debits, releases and fundings lose nothing and never deadlock', async () => {
  const errors: string[] = [];
  const intents = await times(32, authorized);
  await fund(32 * AMOUNT, 'fund:start');
  const debitAndEnd = async (intent: PaymentIntent, index: number) => {
    const debits = [intent, intent].map((one) => untilDone(() => debit(one), errors));
    await Promise.all(debits);
    if (index % 2 === 1) return;
    await Promise.all([
      untilDone(() => fail(intent), errors),
      untilDone(() => debit(intent), errors),
    ]);
  };
  const fundings = times(12, (index) =>
    untilDone(() => fund(160 + index, `fund:${String(index)}`), errors),
  );
  await Promise.all([...intents.map(debitAndEnd), fundings]);
  expect(errors).not.toContain(DEADLOCK);
  const held = await balanceOf(bed, 'reserved');
  expect(held).toBe(16 * AMOUNT);
  expect(await holdingBalance(bed)).toBe(32 * AMOUNT + 12 * 160 + 66 - held);
  expect(await holdingBalance(bed)).toBe(await balanceOf(bed, 'holding'));
});

describe('an authorize decides its debit by the current balance, not by that at its start', () => {
  /**
   * Authorizes an intent whose row is locked while the balance changes, after the statement
   * began.
   */
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
      // The promise is wrapped, so that it is not awaited before the row is unlocked.
      return { authorizing };
    });
    return authorizing;
  }

  it('and makes it where the balance still covers it', async () => {
    await expect(authorizedMeanwhile(2 * AMOUNT, AMOUNT + 1)).resolves.toMatchObject({
      isDebited: true,
    });
    expect(await holdingBalance(bed)).toBe(1);
  });

  it('and leaves it to a separate step where the balance no longer covers it', async () => {
    const report = await authorizedMeanwhile(AMOUNT, AMOUNT - 1);
    expect(report).toMatchObject({ outcome: 'did', status: 'authorized' });
    expect(report).not.toHaveProperty('isDebited');
    expect(await holdingBalance(bed)).toBe(AMOUNT - 1);
  });
});
