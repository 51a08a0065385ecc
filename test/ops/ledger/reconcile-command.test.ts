// `payctl reconcile` as operators and nightly jobs run it: a file or a pipe, a table or JSON, and
// an exit code (design, section 7: 0 clean, 3 differences, 2 a statement that cannot be read).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockReconciliation } from '../../../src/postgres/reports/reconcile-books';
import { jsonLines, lineOf, minutes, withReconciliation } from './reconcile-world';
import { expectRejected, jsonOf, runPayctl, textOf } from '../../support/programs/payctl';
import { withFolder } from '../../support/brackets';

const PERIOD = ['--since', minutes(0).toISOString(), '--until', minutes(120).toISOString()];

const world = withReconciliation({ isPerTest: false });
const folder = withFolder();
let file: string;
let captured: string;
let failed: string;
beforeAll(async () => {
  file = join(folder, 'june.jsonl');
  captured = await world.payment('captured');
  failed = await world.payment('failed');
  await world.bed.setNow(minutes(180));
});

/** @param input standard input; without it, the statement is the file */
const reconcile = (args: readonly string[], input?: string) =>
  runPayctl(world.bed, {
    args: ['reconcile', '--statement', input === undefined ? file : '-', ...args],
    ...(input !== undefined && { input }),
  });

it('exits 0 if the books agree, and prints the period and the counts', async () => {
  writeFileSync(file, jsonLines([lineOf(captured)]));
  expect(textOf(await reconcile(PERIOD))).toMatch(
    /^differences +0\nsince +2026-03-02T12:00:00Z\nuntil +2026-03-02T14:00:00Z\nlines +1\n/,
  );
});

it('says what it did not reconcile: without --until, the last payments of the statement', async () => {
  writeFileSync(file, jsonLines([lineOf(captured, { at: 30 }), lineOf(failed)]));
  expect(textOf(await reconcile([]))).toMatch(
    /^differences +0\n[^]*\nopen_lines +2\n[^]*\nNot reconciled, since too near to an edge: open_lines /,
  );
});

it('exits 2 if the period is too short: a nightly job must not take it for clean', async () => {
  writeFileSync(file, jsonLines([lineOf(failed)]));
  const ran = await reconcile(['--json']);
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([2, { is_clean: false }]);
  expect(ran.stderr).toMatch(/^payctl: The period is too short: nothing in it was reconciled\. /);
});

it('exits 3 if they differ, with every finding and the next command in 80 columns', async () => {
  writeFileSync(file, jsonLines([lineOf(captured), lineOf(failed), lineOf('', { key: 'pi_7' })]));
  const ran = await reconcile([...PERIOD, '--as', 'ann']);
  expect(ran.code).toBe(3);
  expect(ran.stderr).toMatch(
    /^payctl: The books differ \(findings: 2\)\. .* reconciliation \d+\.\n$/,
  );
  expect(ran.stdout.split('\n').slice(0, 4)).toEqual([
    `paid_not_captured  ${failed}:payout  line 2`,
    '  The provider’s statement lists it as paid at 2026-03-02T13:00:00Z, and here it',
    '  is failed.',
    `  payctl intents show ${failed}`,
  ]);
  expect(ran.stdout).toContain('key_unknown  pi_7  line 3\n');
  expect(ran.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

it('shows the open findings again, without another reconciliation', async () => {
  const shown = textOf(await runPayctl(world.bed, ['reconcile', 'findings']));
  expect(shown).toContain(`paid_not_captured  ${failed}:payout  line 2\n`);
  expect(shown).toContain('key_unknown  pi_7  line 3\n');
  const ran = await runPayctl(world.bed, ['reconcile', 'findings', '--json']);
  expect(jsonOf(ran)).toMatchObject([
    { kind: 'paid_not_captured', next: `payctl intents show ${failed}`, is_new: false },
    { kind: 'key_unknown', key: 'pi_7' },
  ]);
});

it('exits 2 without a statement', async () => {
  const ran = await runPayctl(world.bed, ['reconcile', '--json']);
  expectRejected(ran, 2, '--statement <file> is not given.');
});

it('prints the same JSON for either format of a piped statement', async () => {
  const { key, executed_at: at } = lineOf(failed);
  const csv = `key,amount_usd_cents,corridor,executed_at\r\n${captured}:payout,1250,th_qrpay,${at}\r\n${key},1250,th_qrpay,${at}\r\n`;
  const lines = jsonLines([lineOf(captured), lineOf(failed)]);
  const ofJson = await reconcile([...PERIOD, '--json'], lines);
  const ofCsv = await reconcile([...PERIOD, '--json', '--env', 'sandbox'], csv);
  expect([ofJson.code, ofCsv.code]).toEqual([3, 3]);
  expect(JSON.parse(ofJson.stdout)).toMatchObject({
    ...{ is_clean: false, environment: 'sandbox', statement: 'standard input', corridor: null },
    ...{ since: '2026-03-02T12:00:00.000Z', until: '2026-03-02T14:00:00.000Z' },
    ...{
      reconciled_since: '2026-03-02T12:05:00.000Z',
      reconciled_until: '2026-03-02T13:55:00.000Z',
    },
    ...{ lines: 2, lines_not_paid: 0, lines_outside: 0, open_lines: 0, open_payments: 0 },
    differences: 1,
    findings: [
      {
        ...{ kind: 'paid_not_captured', key, intent_id: failed, status: 'failed', line: 2 },
        ...{ amount_usd_cents: 1_250, corridor: 'th_qrpay', captured_at: null, times: 1 },
        ...{ stated_amount_usd_cents: 1_250, stated_corridor: 'th_qrpay' },
        ...{ moved_from: at, moved_until: at, next: `payctl intents show ${failed}` },
      },
    ],
  });
  expect(JSON.parse(ofCsv.stdout)).toMatchObject({ differences: 1, findings: [{ key }] });
});

it.each([
  ['cut off', `${jsonLines([lineOf('')])}{"key"`, [], 'The statement cannot be read, line 2:'],
  ['empty', '', [], 'line 1: the statement has no line of a payment'],
  [
    'of production',
    jsonLines([lineOf('', { environment: 'prod' })]),
    [],
    'line 1: it is of the env',
  ],
  [
    'given as of production',
    jsonLines([lineOf('')]),
    ['--env', 'prod'],
    'of prod, and this database',
  ],
  [
    'of another corridor',
    jsonLines([lineOf('')]),
    ['--corridor', 'vn_qrpay'],
    'line 1: it is of the corridor "th_qrpay", and --corridor is vn_qrpay.',
  ],
  [
    'of a period that ends before it begins',
    '',
    ['--since', '2026-03-03T00:00:00Z'],
    'is after --until',
  ],
])('exits 2 for a statement that is %s', async (_what, input, args, why) => {
  writeFileSync(file, input);
  expectRejected(await reconcile(['--until', minutes(120).toISOString(), ...args]), 2, why);
});

it('exits 1 while another reconciliation is running', async () => {
  writeFileSync(file, jsonLines([lineOf(captured)]));
  const ran = await world.bed.database.onConnection(async (connection) => {
    await lockReconciliation(connection);
    return reconcile(PERIOD);
  });
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(ran.stderr).toMatch(/^payctl: Another reconciliation .* is running\. .* Repeat .*\.\n$/);
});

it('exits 2 for a missing file', async () => {
  const ran = await runPayctl(world.bed, ['reconcile', '--statement', join(folder, 'july.csv')]);
  expectRejected(ran, 2, 'ENOENT');
});

it('exits 3 if a corridor is missing, with the command that reconciles its statement', async () => {
  const missing = await world.payment('captured', { corridor: 'vn_qrpay' });
  await world.bed.setNow(minutes(180));
  writeFileSync(file, jsonLines([lineOf(captured)]));
  const ran = await reconcile(PERIOD);
  expect(ran.code).toBe(3);
  expect(ran.stdout.split('\n').slice(0, 5)).toEqual([
    'corridor_missing  vn_qrpay from 2026-03-02T12:00:00Z',
    '  The provider’s statement has no line of vn_qrpay, and here payments of it were',
    '  captured (1 since 2026-03-02T13:00:00Z).',
    '  payctl reconcile --corridor vn_qrpay --statement FILE',
    '',
  ]);
  writeFileSync(file, jsonLines([lineOf(missing, { corridor: 'vn_qrpay' })]));
  expect(await reconcile([...PERIOD, '--corridor', 'vn_qrpay'])).toMatchObject({ code: 0 });
});
