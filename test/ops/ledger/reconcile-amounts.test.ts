// Which amounts of a statement's line are compared (decision 130): cents of our own protocol; the
// payee's amount and the cost where a real provider was ordered the payee's amount.
import { nextCommand } from '../../../src/ops/ledger/reconcile/finding-sentences';
import { jsonOf, runPayctl } from '../../support/programs/payctl';
import { pruneIntents } from '../../../src/postgres/intents/prune';
import { countOf } from '../../support/builders';
import { finishAll, LATER, ORDER } from '../data/ended-payments';
import { anAttention } from '../../support/payments/attention';
import {
  bahtLineOf,
  kindsIn,
  lineOf,
  orderedInBaht,
  withReconciliation,
  type StatedLine,
} from './reconcile-world';

const world = withReconciliation();

type Line = (intentId: string) => StatedLine;

async function reconciled(line: Line, order: Parameters<typeof orderedInBaht>[2] = {}) {
  const intentId = await world.payment('captured');
  await orderedInBaht(world, intentId, order);
  return { intentId, ...(await world.reconcile([line(intentId)])) };
}

const ours = { account: 'http/main' };

it.each<[string, Line, Parameters<typeof orderedInBaht>[2]?]>([
  ['has its baht and its cost', bahtLineOf],
  ['has the cost with more zeros', (id) => bahtLineOf(id, { debited: '12.50000010' })],
  ['has the cost rounded to a cent', (id) => bahtLineOf(id, { debited: '12.50' })],
  ['has other cents', (id) => bahtLineOf(id, { amount_usd_cents: 1_251 })],
  ['has its baht and no cost', (id) => bahtLineOf(id, { cost: null })],
  ['has its baht, which confirms it, and a cost that we do not know', bahtLineOf, { cost: null }],
  ['has its cents, by our own protocol', lineOf, ours],
  [
    'has its cents and its baht, by our own protocol',
    (id) => bahtLineOf(id, { amount_usd_cents: 1_250, debited: '12.51' }),
    ours,
  ],
])('a payment in baht agrees with a line that %s', async (_what, line, order = {}) => {
  expect(await reconciled(line, order)).toMatchObject({ isClean: true });
});

it.each<[string, Line, string, Parameters<typeof orderedInBaht>[2]?]>([
  ['a satang more', (id) => bahtLineOf(id, { minor: 43_126 }), '431.26 THB, cost 12.5000001'],
  [
    'another currency',
    (id) => bahtLineOf(id, { local: { currency: 'VND', amount: 43_125 } }),
    '43125 VND, cost 12.5000001',
  ],
  [
    'a cost with another last digit',
    (id) => bahtLineOf(id, { debited: '12.5000002' }),
    '431.25 THB, cost 12.5000002',
  ],
  [
    'a cost with another cent',
    (id) => bahtLineOf(id, { debited: '12.51' }),
    '431.25 THB, cost 12.51',
  ],
  ['no baht, which confirms nothing', lineOf, '12.50 USD'],
  [
    'other cents, by our own protocol',
    (id) => lineOf(id, { amount_usd_cents: 1_251 }),
    '12.51 USD',
    ours,
  ],
  ['no cents, by our own protocol', bahtLineOf, '431.25 THB, cost 12.5000001', ours],
  [
    'other baht, by our own protocol',
    (id) => bahtLineOf(id, { minor: 1, amount_usd_cents: 1_250 }),
    '0.01 THB, 12.50 USD, cost 12.5000001',
    ours,
  ],
])('a payment in baht differs from a line with %s', async (_what, line, stated, order = {}) => {
  const { intentId, ...rest } = await reconciled(line, order);
  expect(kindsIn(rest)).toEqual([['amount_differs', `${intentId}:payout`]]);
  expect(await world.attentionOf(intentId)).toBe(
    `The provider’s statement lists it as ${stated}, and 431.25 THB, 12.50 USD, cost 12.5000001 were ordered. (reconciliation ${String(rest.reconciliationId)})`,
  );
});

it('shows programs what was stated and what is ours', async () => {
  await reconciled((id) => bahtLineOf(id, { minor: 43_126 }));
  expect(jsonOf(await runPayctl(world.bed, ['reconcile', 'findings', '--json']))).toMatchObject([
    {
      stated_amount_usd_cents: null,
      stated_local: { currency: 'THB', minor: 43_126 },
      stated_cost: '12.5000001',
    },
  ]);
});

it('rounds no cost further than to a cent', async () => {
  const { differences } = await reconciled((id) => bahtLineOf(id, { debited: '12.54' }), {
    cost: '12.5',
  });
  expect(differences).toBe(1);
});

describe('a payment whose order is not known', () => {
  it.each([
    ['its baht is no difference', {}, []],
    ['its cents is none either', { amount_usd_cents: 1_250 }, []],
    ['other cents is one', { amount_usd_cents: 1_251 }, ['amount_differs']],
  ])('because it was pruned, with a line of %s', async (_what, overrides, kinds) => {
    const pruned = await world.payment('captured');
    await orderedInBaht(world, pruned);
    await finishAll(world.bed);
    await world.bed.setNow(LATER);
    await pruneIntents(world.bed.database, ORDER, () => undefined);
    expect(await countOf(world.bed, 'select count(*) from payouts')).toBe(0);
    const { findings } = await world.reconcile([bahtLineOf(pruned, overrides)]);
    expect(findings.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('is listed as paid, and not offered as paid in an amount that nothing confirms', async () => {
    const open = await world.payment('authorized');
    await world.bed.intents.setAttention(open, anAttention('Unknown.', 'payout_unknown'));
    const reconciled = await world.reconcile([bahtLineOf(open)]);
    expect(kindsIn(reconciled)).toEqual([['paid_not_captured', `${open}:payout`]]);
    expect(reconciled.findings.map(nextCommand)).toEqual([`payctl intents show ${open}`]);
  });
});

describe('money that came back', () => {
  it.each([
    ['without an amount of the payee', { local: null, amount_usd_cents: 1 }],
    ['at another cost', { debited: '12.2' }],
  ])('%s is no other amount: what comes back is a result', async (_what, overrides) => {
    const refunded = await world.payment('refunded');
    await orderedInBaht(world, refunded);
    const lines = [
      bahtLineOf(refunded),
      bahtLineOf(refunded, { at: 70, status: 'returned', ...overrides }),
    ];
    expect(await world.reconcile(lines)).toMatchObject({ isClean: true });
  });

  it('in other baht is', async () => {
    const refunded = await world.payment('refunded');
    await orderedInBaht(world, refunded);
    const returned = bahtLineOf(refunded, { at: 70, status: 'returned', minor: 1 });
    expect(await world.reconcile([bahtLineOf(refunded), returned])).toMatchObject({
      findings: [{ kind: 'amount_differs', line: 2 }],
    });
  });
});

it.each([
  ['its baht is offered as paid', 43_125, / resolve .* --outcome paid /],
  ['other baht is not', 43_126, /^payctl intents show /],
])('an open payment that the statement lists with %s', async (_what, minor, command) => {
  const open = await world.payment('authorized');
  await orderedInBaht(world, open);
  await world.bed.intents.setAttention(open, anAttention('Unknown.', 'payout_unknown'));
  const { findings } = await world.reconcile([bahtLineOf(open, { minor })]);
  const [next] = findings.filter(({ kind }) => kind === 'paid_not_captured').map(nextCommand);
  expect(next).toMatch(command);
});
