// What each login of Postgres is worth: the table of SECURITY.md, row by row.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decide } from '../../../src/postgres/approvals/decide';
import type { Queryable } from '../../../src/postgres/database';
import { checkLedger } from '../../../src/postgres/ledger/check';
import { aFunding, openFourEyes } from '../../support/four-eyes';
import { ROOT } from '../../support/programs/fixture-project';

let hands: Awaited<ReturnType<typeof openFourEyes>>;
beforeAll(async () => {
  hands = await openFourEyes();
});
afterAll(() => hands.close());

const CENTS = 1_000_000;
const RAISE = `update holding_balance set balance_usd_cents = balance_usd_cents + ${String(CENTS)}`;
const holding = async () => {
  const { rows } = await hands.bed.database.query<{ readonly balance: number }>({
    text: 'select balance_usd_cents as balance from holding_balance',
  });
  return rows[0]?.balance ?? 0;
};

/** Tries to make up money that a confirm could then pay out. */
async function makeUp(database: Queryable): Promise<void> {
  const attempts = [
    () => decide(database, aFunding(CENTS)),
    () => database.query({ text: `select book_funding('fund:x', ${String(CENTS)}, 'x')` }),
    () => database.query({ text: RAISE }),
  ];
  for (const attempt of attempts) await attempt().catch(() => undefined);
}

async function byBoth(): Promise<void> {
  const decision = aFunding(CENTS);
  await hands.approved(decision);
  await decide(hands.as.cleo, decision);
}

const NOTHING = 'nothing';
const HELD = 'what the providers hold';
const ROWS: Readonly<Record<string, readonly [worth: string, use: () => Promise<void>]>> = {
  '`payments_support`': [NOTHING, () => makeUp(hands.as.sue)],
  '`payments_reports`': [NOTHING, () => makeUp(hands.as.rob)],
  '`payments_operator`': [NOTHING, () => makeUp(hands.as.ann)],
  '`payments_approver`': [NOTHING, () => makeUp(hands.as.cleo)],
  'an operator, an approver': [HELD, byBoth],
  '`payments_app`': [HELD, () => makeUp(hands.as.app)],
  'the owner': [HELD, () => makeUp(hands.bed.database)],
};

it.each(Object.keys(ROWS))('%s moves what the table says', async (login) => {
  const [worth, use] = ROWS[login] ?? [];
  const before = await holding();
  await use?.();
  expect((await holding()) > before).toBe(worth === HELD);
});

it('money that the service made up is found by the check of the ledger', async () => {
  await hands.as.app.query({ text: RAISE });
  const checks = await checkLedger(hands.bed.database, () => undefined);
  expect(checks.filter(({ violations }) => violations > 0)).not.toEqual([]);
});

it('the table has these rows', () => {
  const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
  const [, table = ''] = page.split(/<!-- \/?logins -->/);
  const rows = [...table.matchAll(/^\| (.+?) +\| .+? \| (.+?) +\|$/gm)].slice(1);
  const said = rows
    .map(([, login, worth]) => [login, worth])
    .filter(([login]) => login?.startsWith('-') === false);
  expect(said).toEqual(Object.entries(ROWS).map(([login, [worth]]) => [login, worth]));
});
