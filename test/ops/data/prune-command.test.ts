// `payctl data prune` (decision 141) as a command: what it rejects, and its audit trail.
import { countOf } from '../../support/builders';
import { prepared, withDatabase, withPartner } from '../../support/brackets';
import { aRoleLogin } from '../../support/servers/role-login';
import { expectRejected, runPayctl } from '../../support/programs/payctl';
import { BEFORE, days, LATER } from './ended-payments';
import { intentsOfEveryKind } from '../../postgres/intents/settled-intents';

const bed = withDatabase({ isPerTest: true });
const partner = withPartner(bed);
const intents = prepared(bed, () => intentsOfEveryKind(bed, partner));

const prune = (...more: readonly string[]) =>
  runPayctl(bed, ['data', 'prune', '--before', BEFORE, '--as', 'ann', ...more]);
const transfers = () => countOf(bed, 'select count(*) from ledger_transfers');

describe('is rejected, and deletes nothing,', () => {
  it('for a time that is not 90 days ago', async () => {
    await bed.setNow(days(189));
    expectRejected(await prune(), 1, /must be at least 90 days ago.*Nothing was deleted/);
  });

  it('while a rule of the ledger is violated', async () => {
    await bed.setNow(LATER);
    const before = await transfers();
    await bed.database.query({
      text: 'delete from payouts where intent_id = $1',
      values: [intents.captured],
    });
    expectRejected(await prune(), 1, /see "payctl ledger check"\. Nothing was deleted/);
    expect(await transfers()).toBe(before);
  });

  it('while payouts are stopped for a restore', async () => {
    await bed.setNow(LATER);
    await bed.database.query({
      text: `insert into payout_stops (actor, reason, kind) values ('watch', 'x', 'restore')`,
    });
    expectRejected(await prune(), 1, /finish docs\/restore\.md first\. Nothing was deleted/);
  });

  it('for a login that may not delete what was booked', async () => {
    await bed.setNow(LATER);
    const login = await aRoleLogin(bed.url, 'payments_app');
    await login.grantRoles();
    const args = ['data', 'prune', '--before', BEFORE];
    expectRejected(await runPayctl({ url: login.url }, args), 1, /DATABASE_URL of the owner/);
    await login.drop();
  });
});

it('is in the audit trail, and deletes older days', async () => {
  await bed.database.query({ text: `insert into partner_days values ('acme', '2026-03-02', 1)` });
  await bed.setNow(LATER);
  await prune('--reason', 'yearly');
  const { rows } = await bed.database.query({
    text: `select actor, action, reason, details, partner_id from operator_actions
            where action <> 'partners create'`,
  });
  expect(rows).toEqual([
    {
      ...{ actor: 'ann', action: 'data prune', reason: 'yearly', partner_id: null },
      details: `before ${BEFORE}`,
    },
  ]);
  expect(await countOf(bed, 'select count(*) from partner_days')).toBe(0);
});
