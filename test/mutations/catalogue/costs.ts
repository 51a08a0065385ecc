// Mutations of the booking of costs: cents that are lost, booked twice, or booked elsewhere.
import type { Mutation } from '../mutation';

const COSTS = {
  file: 'src/postgres/ledger/costs.ts',
  tests: ['test/ops/accounts/book.test.ts'],
} as const;

export const COST_MUTATIONS: readonly Mutation[] = [
  {
    ...COSTS,
    name: 'each cost is rounded alone',
    find: 'sum(p.cost_debited * 100 - i.amount_usd_cents) as total',
    replace: 'sum(round(p.cost_debited * 100) - i.amount_usd_cents) as total',
    mustFail: 'rounds the sum once, and carries the remainder to the next month',
  },
  {
    ...COSTS,
    name: 'a booking forgets what was booked before',
    find: 'const before = sumOf(earlier);',
    replace: 'const before = sumOf([]);',
    mustFail: 'rounds the sum once, and carries the remainder to the next month',
  },
  {
    ...COSTS,
    name: 'a fee is booked twice: as a fee, and with the rest',
    find: 'coalesce(round(sum(total)) - round(sum(fees)), 0)',
    replace: 'coalesce(round(sum(total)), 0)',
    mustFail: 'books fees and the rest, to the cent, with the operator',
  },
  {
    ...COSTS,
    name: 'bookings of costs do not wait for a prune',
    find: 'where account_id = $1 for update',
    replace: 'where account_id = $1',
    mustFail: 'waits for a prune that moves costs out of the payouts',
  },
  {
    ...COSTS,
    name: 'a month is booked after a later one',
    find: 'name > month.name',
    replace: 'name < month.name',
    mustFail: 'rejects a month before one that is booked, whose booking includes it',
  },
  {
    ...COSTS,
    name: 'a booking includes payments after its month',
    find: 'i.captured_at < $4',
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
];
