// `payctl accounts book-repayment` (decision 16): what a provider has paid back reduces its debt,
// once per key and never below zero. It never goes into the holding account again.
import { recordRepayment } from '../../../src/ops/accounts/book-repayment';
import { checkLedger } from '../../../src/postgres/ledger/check';
import { aSettledIntent } from '../../postgres/intents/settled-intents';
import { withDatabase } from '../../support/brackets';
import { balanceOf, times } from '../../support/builders';
import { aPartner } from '../../support/payments/partner';
import { jsonOf, runPayctl } from '../../support/programs/payctl';

describe('payctl accounts book-repayment', () => {
  const REFUNDED = 1_250;

  const bed = withDatabase({ isPerTest: true });
  beforeEach(async () => {
    await aSettledIntent(bed, await aPartner(bed), 'refunded');
  });

  const repay = (amountUsdCents: number | string, key = 'wire-1', actor = 'ann') =>
    recordRepayment(
      bed.database,
      { corridor: 'th_qrpay', amountUsdCents: String(amountUsdCents), key },
      actor,
    );
  const due = () => balanceOf(bed, 'due:th_qrpay');
  const violations = async () => {
    const checks = await checkLedger(bed.database, () => undefined);
    return checks.filter((check) => check.violations > 0).map(({ name }) => name);
  };

  it('reduces the debt, with the operator, and does not change the holding account', async () => {
    const holding = await balanceOf(bed, 'holding');
    expect(
      jsonOf(
        await runPayctl(bed, [
          ...['accounts', 'book-repayment', '--corridor', 'th_qrpay', '--amount-usd-cents', '1000'],
          ...['--key', 'wire-4711', '--as', 'ann', '--json'],
        ]),
      ),
    ).toEqual({
      key: 'wire-4711',
      corridor: 'th_qrpay',
      amount_usd_cents: 1_000,
      is_repeat: false,
      due_usd_cents: 250,
    });
    await expect(due()).resolves.toBe(-250);
    await expect(balanceOf(bed, 'holding')).resolves.toBe(holding);
    const { rows } = await bed.database.query({
      text: `select transfer_key, from_account, actor from ledger_transfers
              where to_account = 'due:th_qrpay'`,
    });
    expect(rows).toEqual([
      { transfer_key: 'repayment:th_qrpay:wire-4711', from_account: 'funding', actor: 'ann' },
    ]);
    await expect(violations()).resolves.toEqual([]);
  });

  it('changes nothing if it is repeated with its key, and says so', async () => {
    await repay(REFUNDED);
    await expect(repay(REFUNDED, 'wire-1', 'bob')).resolves.toMatchObject({
      is_repeat: true,
      due_usd_cents: 0,
    });
    await expect(due()).resolves.toBe(0);
  });

  it('is rejected with the key of another amount, and says which', async () => {
    await repay(500);
    await expect(repay(501)).rejects.toThrow(
      /wire-1 has already booked 5\.00 USD of th_qrpay, by ann at .*another key/,
    );
    await expect(due()).resolves.toBe(500 - REFUNDED);
  });

  it('is rejected beyond the debt, and says how much is due', async () => {
    await repay(500);
    await expect(repay(751, 'wire-2')).rejects.toThrow(
      'owes 7.50 USD, less than 7.51 USD. Nothing was booked. If a refund is missing here, as after',
    );
    await expect(due()).resolves.toBe(500 - REFUNDED);
  });

  it('books together at most the debt for eight keys at once', async () => {
    const repaid = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => repay(500, `wire-${String(index)}`)),
    );
    expect(repaid.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(due()).resolves.toBe(1_000 - REFUNDED);
    await expect(violations()).resolves.toEqual([]);
  });

  it('books once for eight commands with one key at once', async () => {
    const repaid = await times(8, () => repay(300));
    expect(repaid.filter(({ is_repeat }) => !is_repeat)).toHaveLength(1);
    await expect(due()).resolves.toBe(300 - REFUNDED);
  });

  it('allows the same key in each corridor', async () => {
    await repay(100);
    const other = { corridor: 'vn_qrpay', amountUsdCents: '1', key: 'wire-1' } as const;
    await expect(recordRepayment(bed.database, other, 'ann')).rejects.toThrow(
      'The provider of vn_qrpay owes 0.00 USD',
    );
  });

  it.each([
    ['0', 'wire-1', 'is not a whole number of cents'],
    ['1', 'two words', '--key must be 1 to 200'],
  ])('rejects the amount %s with the key %s', async (amount, key, sentence) => {
    await expect(repay(amount, key)).rejects.toThrow(sentence);
    await expect(due()).resolves.toBe(-REFUNDED);
  });

  it('is checked by the ledger check: wrong accounts, and an overpaid debt', async () => {
    await bed.database.query({
      text: `insert into ledger_transfers
             (transfer_key, from_account, to_account, amount_usd_cents, created_at, actor)
           values ('repayment:th_qrpay:astray', 'funding', 'due:vn_qrpay', 1, now(), 'ann')`,
    });
    await expect(violations()).resolves.toEqual([
      'transfers_go_a_known_way',
      'providers_repaid_at_most_what_was_due',
    ]);
  });
});
