// `payctl accounts settle-owed` (decision 16): what a provider has paid back reduces its debt, once
// per key and never below zero. It never goes into the holding account again.
import { settleOwed } from '../../../src/ops/accounts/settle-owed';
import { checkLedger } from '../../../src/postgres/ledger/check';
import { aSettledIntent } from '../../postgres/intents/settled-intents';
import { withDatabase } from '../../support/brackets';
import { balanceOf, times } from '../../support/builders';
import { aPartner } from '../../support/payments/partner';
import { jsonOf, runPayctl } from '../../support/programs/payctl';

describe('payctl accounts settle-owed', () => {
  const REFUNDED = 1_250;

  const bed = withDatabase({ isPerTest: true });
  beforeEach(async () => {
    await aSettledIntent(bed, await aPartner(bed), 'refunded');
  });

  const settle = (amountUsdCents: number | string, key = 'wire-1', actor = 'ann') =>
    settleOwed(
      bed.database,
      { corridor: 'th_qrpay', amountUsdCents: String(amountUsdCents), key },
      actor,
    );
  const owed = () => balanceOf(bed, 'owed:th_qrpay');
  const violations = async () => {
    const checks = await checkLedger(bed.database, () => undefined);
    return checks.filter((check) => check.violations > 0).map(({ name }) => name);
  };

  it('reduces the debt, with the operator, and does not change the holding account', async () => {
    const holding = await balanceOf(bed, 'holding');
    expect(
      jsonOf(
        await runPayctl(bed, [
          ...['accounts', 'settle-owed', '--corridor', 'th_qrpay', '--amount-usd-cents', '1000'],
          ...['--key', 'wire-4711', '--as', 'ann', '--json'],
        ]),
      ),
    ).toEqual({
      key: 'wire-4711',
      corridor: 'th_qrpay',
      amount_usd_cents: 1_000,
      is_repeat: false,
      owed_usd_cents: 250,
    });
    await expect(owed()).resolves.toBe(-250);
    await expect(balanceOf(bed, 'holding')).resolves.toBe(holding);
    const { rows } = await bed.database.query({
      text: `select transfer_key, from_account, actor from ledger_transfers
              where to_account = 'owed:th_qrpay'`,
    });
    expect(rows).toEqual([
      { transfer_key: 'settle:th_qrpay:wire-4711', from_account: 'funding', actor: 'ann' },
    ]);
    await expect(violations()).resolves.toEqual([]);
  });

  it('changes nothing if it is repeated with its key, and says so', async () => {
    await settle(REFUNDED);
    await expect(settle(REFUNDED, 'wire-1', 'bob')).resolves.toMatchObject({
      is_repeat: true,
      owed_usd_cents: 0,
    });
    await expect(owed()).resolves.toBe(0);
  });

  it('is rejected with the key of another amount, and says which', async () => {
    await settle(500);
    await expect(settle(501)).rejects.toThrow(
      /wire-1 has already booked 5\.00 USD of th_qrpay, by ann at .*another key/,
    );
    await expect(owed()).resolves.toBe(500 - REFUNDED);
  });

  it('is rejected beyond the debt, and says how much is owed', async () => {
    await settle(500);
    await expect(settle(751, 'wire-2')).rejects.toThrow(
      'owes 7.50 USD, less than 7.51 USD. Nothing was booked. If a refund is missing here, as after',
    );
    await expect(owed()).resolves.toBe(500 - REFUNDED);
  });

  it('books together at most the debt for eight keys at once', async () => {
    const settled = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => settle(500, `wire-${String(index)}`)),
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(owed()).resolves.toBe(1_000 - REFUNDED);
    await expect(violations()).resolves.toEqual([]);
  });

  it('books once for eight commands with one key at once', async () => {
    const settled = await times(8, () => settle(300));
    expect(settled.filter(({ is_repeat }) => !is_repeat)).toHaveLength(1);
    await expect(owed()).resolves.toBe(300 - REFUNDED);
  });

  it('allows the same key in each corridor', async () => {
    await settle(100);
    const other = { corridor: 'vn_qrpay', amountUsdCents: '1', key: 'wire-1' } as const;
    await expect(settleOwed(bed.database, other, 'ann')).rejects.toThrow(
      'The provider of vn_qrpay owes 0.00 USD',
    );
  });

  it.each([
    ['0', 'wire-1', 'is not a whole number of cents'],
    ['1', 'two words', '--key must be 1 to 200'],
  ])('rejects the amount %s with the key %s', async (amount, key, sentence) => {
    await expect(settle(amount, key)).rejects.toThrow(sentence);
    await expect(owed()).resolves.toBe(-REFUNDED);
  });

  it('is checked by the ledger check: wrong accounts, and an overpaid debt', async () => {
    await bed.database.query({
      text: `insert into ledger_transfers
             (transfer_key, from_account, to_account, amount_usd_cents, created_at, actor)
           values ('settle:th_qrpay:astray', 'funding', 'owed:vn_qrpay', 1, now(), 'ann')`,
    });
    await expect(violations()).resolves.toEqual([
      'transfers_go_a_known_way',
      'providers_paid_back_at_most_what_they_owe',
    ]);
  });
});
