// What a statement file may end needs an approval of that file (decision 159): the service stores
// its findings, and closes none and lifts no stop without one.
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOne } from '../../../src/postgres/database';
import {
  createPayoutStops,
  liftWatchGaps,
  listPayoutStops,
} from '../../../src/postgres/payouts/stops';
import { NOON, secondsAfter } from '../../support/clock';
import { openFourEyes } from '../../support/four-eyes';
import { jsonOf, runPayctl } from '../../support/programs/payctl';

let hands: Awaited<ReturnType<typeof openFourEyes>>;
beforeAll(async () => {
  hands = await openFourEyes();
});
afterAll(() => hands.close());

const STATEMENT = 'key,amount_usd_cents\n';
const FILE = join(mkdtempSync(join(tmpdir(), 'statement-')), 'statement.csv');
writeFileSync(FILE, STATEMENT);
const SHA256 = createHash('sha256').update(STATEMENT).digest();
const PERIOD = { since: NOON, until: secondsAfter(NOON, 7_200) };
const SINCE = ['--since', NOON.toISOString()];

/** As the service stores it. */
async function aReconciliation(sha256 = SHA256, corridor: string | null = null): Promise<number> {
  const { id } = await readOne<{ readonly id: number }>(hands.as.app, {
    text: `insert into reconciliations (actor, statement, statement_sha256, corridor, since, until,
                                        lines)
           values ('cron', 'statement.csv', $1, $2, $3, $4, 1)
           returning reconciliation_id as id`,
    values: [sha256, corridor, PERIOD.since, PERIOD.until],
  });
  return id;
}

async function isPermitted(reconciliationId: number): Promise<boolean> {
  const { permitted } = await readOne<{ readonly permitted: boolean }>(hands.as.app, {
    text: 'select permit_statement($1) as permitted',
    values: [reconciliationId],
  });
  return permitted;
}

const lift = (reconciliationId: number) =>
  liftWatchGaps(hands.as.app, PERIOD, { reconciliationId, actor: 'cron' });

it('permits nothing without an approval, and that of this file once', async () => {
  await createPayoutStops(hands.as.app).stop({
    ...{ actor: 'system', reason: 'not compared', kind: 'watch_gap' },
    gapSince: secondsAfter(NOON, 60),
  });
  const before = await aReconciliation();
  expect([await isPermitted(before), await lift(before)]).toEqual([false, []]);

  const command = ['reconcile', '--statement', FILE, ...SINCE, '--ask', '--json'];
  const asked = await runPayctl({ url: hands.loginOf.ann.url }, command);
  expect([asked.code, asked.stderr]).toEqual([4, '']);
  const { approval } = JSON.parse(asked.stdout) as { readonly approval: { readonly id: string } };
  const approve = ['approvals', 'approve', approval.id];
  const approved = await runPayctl({ url: hands.loginOf.cleo.url }, approve);
  expect(approved.code).toBe(0);
  expect(approved.stderr).toMatch(/needs the login of the service, without --ask/);

  const other = createHash('sha256').update('another statement').digest();
  expect(await isPermitted(await aReconciliation(other))).toBe(false);
  expect(await isPermitted(await aReconciliation(SHA256, 'th_qrpay'))).toBe(false);
  const after = await aReconciliation();
  expect(await isPermitted(after)).toBe(true);
  expect(await isPermitted(await aReconciliation())).toBe(false);
  expect(await lift(before)).toEqual([]);
  expect(await lift(after)).toMatchObject([{ kind: 'watch_gap', ended_by: 'cron' }]);
  const show = ['approvals', 'show', approval.id, '--json'];
  expect(jsonOf(await runPayctl({ url: hands.loginOf.sue.url }, show))).toMatchObject({
    state: 'carried_out',
  });
});

it('the service lifts no stop by itself', async () => {
  await createPayoutStops(hands.as.app).stop({ actor: 'ops', reason: 'x', kind: 'operator' });
  await expect(
    hands.as.app.query({ text: 'update payout_stops set ended_at = now()' }),
  ).rejects.toThrow(/permission denied/);
  expect((await listPayoutStops(hands.bed.database))[0]).toMatchObject({ ended_at: null });
});
