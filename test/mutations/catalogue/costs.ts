// Mutations of the booking of costs: cents that are lost, booked twice, or booked elsewhere. And of
// the comparison of the payee's amounts and costs with a statement.
import type { Mutation } from '../mutation';

const COSTS = {
  file: 'src/postgres/ledger/costs.ts',
  tests: ['test/ops/accounts/book.test.ts'],
} as const;

const BOOKING = { ...COSTS, file: 'src/postgres/migrations/0012-costs.sql' } as const;

const RETURNS = ['test/ops/accounts/book-returns.test.ts'] as const;

const BOOKS = 'src/postgres/reports/reconcile-books.ts';
const FINDINGS = 'src/postgres/reports/findings.ts';
const AMOUNTS = { file: BOOKS, tests: ['test/ops/ledger/reconcile-amounts.test.ts'] } as const;

export const COST_MUTATIONS: readonly Mutation[] = [
  {
    ...COSTS,
    name: 'each cost is rounded alone',
    find: 'sum(p.cost_debited * 100 - coalesce(',
    replace: 'sum(round(p.cost_debited * 100) - coalesce(',
    mustFail: 'rounds the sum once, and carries the remainder to the next month',
  },
  {
    ...BOOKING,
    name: 'a booking forgets what was booked before',
    find: 'cents - booked_until(account) as cents',
    replace: 'cents',
    mustFail: 'rounds the sum once, and carries the remainder to the next month',
  },
  {
    ...BOOKING,
    name: 'a fee is booked twice: as a fee, and with the rest',
    find: "('fx', 'settlement', total - fees)",
    replace: "('fx', 'settlement', total)",
    mustFail: 'books fees and the rest, to the cent, with the operator',
  },
  {
    ...BOOKING,
    name: 'bookings of costs do not wait for a prune',
    find: "where account_id = 'due:' || of_corridor for update",
    replace: "where account_id = 'due:' || of_corridor",
    mustFail: 'waits for a prune that moves costs out of the payouts',
  },
  {
    ...BOOKING,
    name: 'a month is booked after a later one',
    find: 'b.month >= period',
    replace: 'b.month = period',
    mustFail: 'books nothing for a month before one that is booked, whose booking includes it',
  },
  {
    ...COSTS,
    name: 'a booking includes payments after its month',
    find: 'coalesce(i.captured_at, f.closed_at) < $4',
    replace: '$4::timestamptz is not null',
    mustFail: 'includes neither later payments nor other corridors nor what was not captured',
  },
  {
    ...COSTS,
    name: 'a booking leaves out refunded payments',
    find: "i.status in ('captured', 'refunded')",
    replace: "i.status in ('captured')",
    mustFail: 'includes neither later payments nor other corridors nor what was not captured',
  },
  {
    ...COSTS,
    file: 'src/postgres/intents/prune.ts',
    name: 'a prune forgets the costs that an earlier one has added up',
    find: 'set total = c.total + excluded.total',
    replace: 'set total = excluded.total',
    mustFail: 'includes what several prunes have deleted',
  },
  {
    ...BOOKING,
    name: 'what did not come back stays due',
    tests: RETURNS,
    find: "('due', 'fx', -kept)",
    replace: "('due', 'fx', kept)",
    mustFail: 'by its statement, less than was refunded, is booked so that nothing is due',
  },
  {
    ...COSTS,
    file: BOOKS,
    name: 'the cost of a payment counts as what came back of it',
    tests: RETURNS,
    find: "case when k.kind <> 'returned' or l.is_returned then l.cost end",
    replace: 'l.cost',
    mustFail: 'is not booked where a line that is too near the edge does',
  },
  {
    ...COSTS,
    file: FINDINGS,
    name: 'what came back by a statement after the refund is stored again with each statement',
    tests: RETURNS,
    find: 'f.kind = d.kind and f.closed_by is null)`',
    replace: 'f.kind = d.kind and f.closed_at is null)`',
    mustFail: 'by statements after the refund is booked once, and is no finding: the first',
  },
  {
    ...COSTS,
    file: FINDINGS,
    name: 'a finding that is closed from the start is a difference',
    tests: RETURNS,
    find: 'where f.last_seen_by = $1 and f.closed_at is null',
    replace: 'where f.last_seen_by = $1',
    mustFail: 'by statements after the refund is booked once, and is no finding: the first',
  },
  {
    ...COSTS,
    file: BOOKS,
    name: 'what came back by a statement after the refund is not stored',
    tests: RETURNS,
    find: 'or l.is_returned and l.cost is not null and',
    replace: 'or false and',
    mustFail: 'by statements after the refund is booked once, and is no finding: a later one',
  },
  {
    ...COSTS,
    name: 'what did not come back of a failed payment is in no account',
    tests: RETURNS,
    find: 'or f.stated_cost is not null)',
    replace: ')',
    mustFail: 'of a payment that failed, by a statement and is pruned: what is missing is booked',
  },
  {
    ...COSTS,
    file: 'src/postgres/ledger/rules.ts',
    name: 'costs of a month that is not over pass the check of the ledger',
    find: 'right(t.transfer_key, 7) < to_char(',
    replace: 'right(t.transfer_key, 7) <= to_char(',
    mustFail: 'a booking with a month that is not over fails the check of the ledger',
  },
  {
    ...COSTS,
    file: 'src/postgres/ledger/rules.ts',
    name: 'costs of no month pass the check of the ledger',
    find: '(0[1-9]|1[0-2])',
    replace: '\\\\d\\\\d',
    mustFail: 'a booking with no month fails the check of the ledger',
  },
  {
    ...AMOUNTS,
    name: 'a line without the payee’s amount confirms it',
    find: 'not (l.is_returned and l.local is null)',
    replace: 'l.local is not null',
    mustFail: 'a payment in baht differs from a line with no baht, which confirms nothing',
  },
  {
    ...AMOUNTS,
    name: 'another cost than ours is no difference',
    find: '<> round(l.our_cost, ${COST_DIGITS})',
    replace: 'is null',
    mustFail: 'a payment in baht differs from a line with a cost with another last digit',
  },
  {
    ...AMOUNTS,
    name: 'a cost that a statement rounds to a cent is a difference',
    find: 'greatest(2, least(scale(l.cost), scale(l.our_cost)))',
    replace: 'greatest(scale(l.cost), scale(l.our_cost))',
    mustFail: 'a payment in baht agrees with a line that has the cost rounded to a cent',
  },
  {
    ...AMOUNTS,
    name: 'costs are compared in dollars, if one of them is whole',
    find: 'greatest(2, least(scale(l.cost), scale(l.our_cost)))',
    replace: 'least(scale(l.cost), scale(l.our_cost))',
    mustFail: 'rounds no cost further than to a cent',
  },
  {
    ...AMOUNTS,
    name: 'a pruned payment differs from a line without cents',
    find: 'when l.is_in_cents or l.amount_usd_cents is not null',
    replace: 'when true',
    mustFail: 'because it was pruned, with a line of its baht is no difference',
  },
  {
    ...AMOUNTS,
    name: 'a payment is offered as paid in an amount that was compared with nothing',
    file: 'src/ops/ledger/reconcile/finding-sentences.ts',
    find: 'isCompared && ',
    replace: '',
    mustFail: 'is listed as paid, and not offered as paid in an amount that nothing confirms',
  },
  {
    ...AMOUNTS,
    name: 'a line of our own protocol needs no cents',
    find: 'l.amount_usd_cents is distinct from l.our_usd_cents',
    replace: 'l.amount_usd_cents <> l.our_usd_cents',
    mustFail: 'a payment in baht differs from a line with no cents, by our own protocol',
  },
  {
    ...AMOUNTS,
    name: 'a payment is offered as paid in another amount than was ordered',
    file: 'src/ops/ledger/reconcile/finding-sentences.ts',
    find: 'isCompared && !finding.is_amount_other',
    replace: 'isCompared',
    mustFail: 'an open payment that the statement lists with other baht is not',
  },
];
