// `payctl accounts list` and `fund`: the ledger's accounts, and money booked into the holding
// account once per key (architecture, section 5).
import { fundAccount } from '../../../src/ops/accounts/fund';
import { checkReason, operatorName } from '../../../src/ops/operator';
import { readAccounts, type AccountBalance } from '../../../src/postgres/ledger/balances';
import { balanceOf, countOf, times } from '../../support/builders';
import { aPartner } from '../../support/payments/partner';
import { aSettledIntent } from '../../postgres/intents/settled-intents';
import { expectRejected, rejection, runPayctl } from '../../support/programs/payctl';
import { withDatabase } from '../../support/brackets';

const FUNDED = 1_600_000;

const bed = withDatabase({ fundedUsdCents: FUNDED });
beforeEach(async () => {
  await bed.database.query({
    text: `delete from ledger_transfers where transfer_key <> 'fund:test'`,
  });
  await bed.database.query({
    text: `update holding_balance set balance_usd_cents = $1`,
    values: [FUNDED],
  });
});

const accounts = (...args: readonly string[]) => runPayctl(bed, ['accounts', ...args]);
const fund = (amount: string, key: string, ...more: readonly string[]) =>
  accounts('fund', '--amount-usd-cents', amount, '--key', key, ...more);
/** The same, without its command line. */
const put = (amountUsdCents: string, key: string) =>
  fundAccount(bed.database, { amountUsdCents, key }, 'ann');
const transfers = () => countOf(bed, 'select count(*) from ledger_transfers');

describe('accounts list', () => {
  it('lists every account with its balance', async () => {
    const partner = await aPartner(bed);
    for (const status of ['captured', 'refunded', 'authorized'] as const) {
      await aSettledIntent(bed, partner, status);
    }
    const ran = await accounts('list', '--json');
    expect(ran.code).toBe(0);
    const shown = JSON.parse(ran.stdout) as readonly AccountBalance[];
    expect(
      shown.map(({ account_id, balance_usd_cents }) => [account_id, balance_usd_cents]),
    ).toEqual([
      ['due:th_qrpay', -1_250],
      ['due:vn_qrpay', 0],
      ['fees:th_qrpay', 0],
      ['fees:vn_qrpay', 0],
      ['funding', -FUNDED],
      ['fx:th_qrpay', 0],
      ['fx:vn_qrpay', 0],
      ['holding', FUNDED - 2 * 1_250],
      ['reserved', 1_250],
      ['settlement:th_qrpay', 2 * 1_250],
      ['settlement:vn_qrpay', 0],
    ]);
    expect(shown.every(({ purpose }) => /^[A-Z]/.test(purpose))).toBe(true);
  });

  it('shows people dollars', async () => {
    const { stdout } = await accounts('list');
    expect(stdout).toMatch(/^account_id +balance +purpose$/m);
    expect(stdout).toMatch(/^holding +16000\.00 USD +The funds-holding account/m);
    expect(stdout).toMatch(/^funding +-16000\.00 USD +Where money/m);
  });

  it('warns on standard error if the holding account runs low, and only then', async () => {
    const low = await runPayctl(bed, ['accounts', 'list', '--json'], {
      HOLDING_LOW_USD_CENTS: String(FUNDED + 1),
    });
    expect(low.code).toBe(0);
    expect(low.stderr).toMatch(/runs low: 16000\.00 USD, less than 16000\.01 USD/);
    const enough = await runPayctl(bed, ['accounts', 'list', '--json'], {
      HOLDING_LOW_USD_CENTS: String(FUNDED),
    });
    expect(enough.stderr).toBe('');
    expect(enough.stdout).toBe(low.stdout);
  });

  it('reads a ledger of many ranges to the last entry', async () => {
    await bed.database.query({
      text: `insert into ledger_transfers
               (transfer_key, from_account, to_account, amount_usd_cents, created_at, actor)
             select 'fund:many-' || n, 'funding', 'reserved', 1, now(), 'test'
               from generate_series(1, 12000) as n`,
    });
    const reserved = (await readAccounts(bed.database)).find(
      ({ account_id }) => account_id === 'reserved',
    );
    expect(reserved?.balance_usd_cents).toBe(12_000);
  });
});

describe('accounts fund', () => {
  it('books money into the holding account, with the operator', async () => {
    const ran = await fund('5000003', 'wire-4711', '--as', 'ann', '--json');
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({
      key: 'wire-4711',
      amount_usd_cents: 5_000_003,
      is_repeat: false,
      holding_balance_usd_cents: FUNDED + 5_000_003,
    });
    expect(await balanceOf(bed, 'holding')).toBe(FUNDED + 5_000_003);
    const { rows } = await bed.database.query({
      text: `select actor, from_account from ledger_transfers
              where transfer_key = 'fund:wire-4711'`,
    });
    expect(rows).toEqual([{ actor: 'ann', from_account: 'funding' }]);
  });

  it('changes nothing if it is repeated with its key, and exits 0', async () => {
    await put('500', 'wire-1');
    const again = await fund('500', 'wire-1');
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/^is_repeat +true$/m);
    expect(again.stdout).toContain('nothing was moved now');
    await expect(put('500', 'wire-1')).resolves.toMatchObject({ is_repeat: true });
    expect(await balanceOf(bed, 'holding')).toBe(FUNDED + 500);
  });

  it('is rejected with the key of another amount, and says which', async () => {
    await put('500', 'wire-1');
    const other = await fund('501', 'wire-1');
    expectRejected(other, 1, /wire-1 has already booked 5\.00 USD, by ann at .*another key/);
    expect(await balanceOf(bed, 'holding')).toBe(FUNDED + 500);
  });

  it('moves the money once for eight commands with one key at once', async () => {
    const funded = await times(8, () => put('777', 'wire-2'));
    expect(funded.filter(({ is_repeat }) => !is_repeat)).toHaveLength(1);
    expect(await balanceOf(bed, 'holding')).toBe(FUNDED + 777);
  });

  it.each(['0', '-1', '1.5', '1e3', ' 1', '0x10', '10000000000001', ''])(
    'rejects the amount "%s"',
    async (amount) => {
      await expect(put(amount, 'wire-3')).rejects.toThrow('is not a whole number of cents');
      expect(await transfers()).toBe(1);
    },
  );

  it.each(['', 'two words', 'ключ', 'x'.repeat(201), 'a\nb'])(
    'rejects the key "%s"',
    async (key) => {
      await expect(put('1', key)).rejects.toThrow('--key must be 1 to 200');
      expect(await transfers()).toBe(1);
    },
  );

  it('moves more than a million dollars only with --yes', async () => {
    expect(await fund('100000001', 'wire-7')).toEqual(
      rejection(
        '1000000.01 USD is more than 1000000.00 USD. Nothing was changed: if it is right, add --yes.',
      ),
    );
    expect(await transfers()).toBe(1);
    expect((await fund('100000001', 'wire-7', '--yes')).code).toBe(0);
    await put('100000000', 'wire-8');
    expect(await balanceOf(bed, 'holding')).toBe(FUNDED + 200_000_001);
  });

  it("cannot use up the key of a payment's refund", async () => {
    const partner = await aPartner(bed);
    const id = await aSettledIntent(bed, partner, 'captured');
    await expect(put('1', `${id}:refund`)).resolves.toMatchObject({ is_repeat: false });
    const refunds = `select count(*) from ledger_transfers where transfer_key = $1`;
    expect(await countOf(bed, refunds, [`${id}:refund`])).toBe(0);
  });
});

describe('an operator', () => {
  it.each(['Payer', 'partner', 'a\tb', '', ' ann', 'x'.repeat(65)])(
    'cannot have the name "%s"',
    (name) => {
      expect(() => operatorName(name)).toThrow('is not a name for the audit trail');
    },
  );

  it.each(['ann', 'Łukasz Ö.', 'ops@example', '7'])('may have the name "%s"', (name) => {
    expect(operatorName(name)).toBe(name);
  });

  it.each(['', '  ', 'two\nlines', '\u001b[31m', 'x'.repeat(501)])(
    'cannot give the reason "%s"',
    (text) => {
      expect(() => checkReason('--reason', text)).toThrow('--reason must be one line of 1 to 500');
    },
  );
});
