// `payctl ledger check` as operations and monitors run it: a table or JSON, and an exit code that can be trusted.
import { type LedgerCheck, checkLedger } from '../../../src/postgres/ledger/check';
import { aPartner } from '../../support/payments/partner';
import {
  intentsOfEveryKind,
  type KindsOfIntents,
  aSettledIntent,
} from '../../postgres/intents/settled-intents';
import { runPayctl, jsonOf } from '../../support/programs/payctl';
import { withDatabase } from '../../support/brackets';
import { settleOwed } from '../../../src/ops/ledger/accounts';
import { balanceOf, times } from '../../support/builders';

describe('payctl ledger check', () => {
  const bed = withDatabase({ fundedUsdCents: 1_600_000 });
  let intents: KindsOfIntents;
  beforeAll(async () => {
    intents = await intentsOfEveryKind(bed, await aPartner(bed));
  });

  interface Report {
    readonly ok: boolean;
    readonly checks: readonly LedgerCheck[];
  }

  const check = (...args: readonly string[]) => runPayctl(bed, ['ledger', 'check', ...args]);

  it('exits 0 on a ledger that agrees with itself', async () => {
    const { ok, checks } = jsonOf(await check('--json')) as Report;
    expect(ok).toBe(true);
    expect(checks.length).toBeGreaterThanOrEqual(10);
    expect(checks[0]).toEqual({
      name: 'entries_sum_to_zero',
      checked: 11,
      violations: 0,
      examples: [],
    });
  });

  it('shows people one line for each check', async () => {
    const { stdout } = await check();
    expect(stdout).toMatch(/^name +checked +violations +examples$/m);
    expect(stdout).toMatch(/^captured_is_paid_once_and_matches_its_payout +1 +0 +-$/m);
  });

  it('exits 1 on one that does not, with what and where', async () => {
    await bed.database.query({
      text: `update payouts set status = 'sent' where intent_id = $1`,
      values: [intents.captured],
    });
    const ran = await check('--json');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('captured_is_paid_once_and_matches_its_payout (1)');
    const { ok, checks } = JSON.parse(ran.stdout) as Report;
    expect(ok).toBe(false);
    expect(checks.filter(({ violations }) => violations > 0)).toEqual([
      {
        name: 'captured_is_paid_once_and_matches_its_payout',
        checked: 1,
        violations: 1,
        examples: [intents.captured],
      },
    ]);
  });
});

// `payctl accounts settle-owed` (decision 16): what a provider has paid back goes against what it owes, once per key, never
// beyond, and never into the holding account again.
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

  it('books it against the debt, with who did it, and leaves the holding account as it is', async () => {
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
      text: `select transfer_key, from_account, actor from ledger_transfers where to_account = 'owed:th_qrpay'`,
    });
    expect(rows).toEqual([
      { transfer_key: 'settle:th_qrpay:wire-4711', from_account: 'funding', actor: 'ann' },
    ]);
    await expect(violations()).resolves.toEqual([]);
  });

  it('repeated with its key changes nothing and says so, also when nothing is owed any more', async () => {
    await settle(REFUNDED);
    await expect(settle(REFUNDED, 'wire-1', 'bob')).resolves.toMatchObject({
      is_repeat: true,
      owed_usd_cents: 0,
    });
    await expect(owed()).resolves.toBe(0);
  });

  it('with the key of another amount is refused with what the key stands for', async () => {
    await settle(500);
    await expect(settle(501)).rejects.toThrow(
      /wire-1 stands for 5\.00 USD of th_qrpay already, by ann at .*another key/,
    );
    await expect(owed()).resolves.toBe(500 - REFUNDED);
  });

  it('beyond what is owed is refused, with what is', async () => {
    await settle(500);
    await expect(settle(751, 'wire-2')).rejects.toThrow(
      'The provider of th_qrpay owes 7.50 USD, less than 7.51 USD. Nothing was booked',
    );
    await expect(owed()).resolves.toBe(500 - REFUNDED);
  });

  it('of eight different ones at once, together never more than is owed', async () => {
    const settled = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => settle(500, `wire-${String(index)}`)),
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(owed()).resolves.toBe(1_000 - REFUNDED);
    await expect(violations()).resolves.toEqual([]);
  });

  it('of eight at once with one key books it once', async () => {
    const settled = await times(8, () => settle(300));
    expect(settled.filter(({ is_repeat }) => !is_repeat)).toHaveLength(1);
    await expect(owed()).resolves.toBe(300 - REFUNDED);
  });

  it('knows one key in each corridor', async () => {
    await settle(100);
    const other = { corridor: 'vn_qrpay', amountUsdCents: '1', key: 'wire-1' } as const;
    await expect(settleOwed(bed.database, other, 'ann')).rejects.toThrow(
      'The provider of vn_qrpay owes 0.00 USD',
    );
  });

  it.each([
    ['0', 'wire-1', 'is not a whole number of cents'],
    ['1', 'two words', '--key is 1 to 200'],
  ])('refuses the amount %s with the key %s', async (amount, key, sentence) => {
    await expect(settle(amount, key)).rejects.toThrow(sentence);
    await expect(owed()).resolves.toBe(-REFUNDED);
  });

  it('the ledger check finds one that goes another way, and a debt that was overpaid', async () => {
    await bed.database.query({
      text: `insert into ledger_transfers (transfer_key, from_account, to_account, amount_usd_cents, created_at, actor)
           values ('settle:th_qrpay:astray', 'funding', 'owed:vn_qrpay', 1, now(), 'ann')`,
    });
    await expect(violations()).resolves.toEqual([
      'transfers_go_a_known_way',
      'providers_paid_back_at_most_what_they_owe',
    ]);
  });
});
