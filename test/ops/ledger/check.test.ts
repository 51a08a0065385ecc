// `payctl ledger check` as operators and monitors run it: a table or JSON, and a reliable exit
// code.
import type { LedgerCheck } from '../../../src/postgres/ledger/check';
import { intentsOfEveryKind, type KindsOfIntents } from '../../postgres/intents/settled-intents';
import { withDatabase } from '../../support/brackets';
import { aPartner } from '../../support/payments/partner';
import { jsonOf, runPayctl } from '../../support/programs/payctl';

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

  it('exits 1 on one that does not, and says which check failed for which payment', async () => {
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
