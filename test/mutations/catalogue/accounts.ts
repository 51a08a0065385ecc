// Mutations of what the first request fixes, of amounts, costs and money that comes back (decisions
// 151 and 152).
import type { Mutation } from '../mutation';

const ACCOUNTS = 'activities/accounts.ts';
const DECISION = 'activities/payout-decision.ts';
const ASKS = 'src/postgres/payouts/paid-asks.ts';
const LOOKUP = ['test/activities/accounts.test.ts'] as const;
const AMOUNTS = ['test/activities/payout-amounts.test.ts'] as const;
const ROWS = ['test/postgres/payouts/terms.test.ts'] as const;
const RETURNS = ['test/postgres/payouts/paid-asks.test.ts'] as const;

export const ACCOUNT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a payout is sent again through another account',
    file: 'src/postgres/payouts/journal.ts',
    find: 'and (p.account is null or p.account = $4)',
    replace: '',
    tests: ROWS,
    mustFail: 'is not recorded for another account than that of the first request',
  },
  {
    name: 'a later request raises the bound of the cost',
    file: 'src/postgres/payouts/journal.ts',
    find: 'coalesce(p.max_cost_usd_cents, $5)',
    replace: '$5',
    tests: ROWS,
    mustFail: 'has the account, the amount and the bound of the cost that the first one fixed',
  },
  {
    name: 'the current account is asked about a payout of another',
    file: ACCOUNTS,
    find: '?? notConfigured(account)',
    replace: '?? providers[corridor]',
    tests: LOOKUP,
    mustFail: 'an account that the settings do not name leaves the outcome unknown',
  },
  {
    name: 'former accounts are not asked about a forgotten request',
    file: ACCOUNTS,
    find: 'if (account === null) return all;',
    replace: 'if (account === null) return [providers[corridor]];',
    tests: LOOKUP,
    mustFail: 'every account is queried, and a denial is worth what all of them guarantee',
  },
  {
    name: 'the denial of several accounts is worth what one guarantees',
    file: 'src/domain/payouts/permissions.ts',
    find: 'all.every((one) => one[ability])',
    replace: 'all.some((one) => one[ability])',
    tests: LOOKUP,
    mustFail: 'every account is queried, and a denial is worth what all of them guarantee',
  },
  {
    name: 'another amount at the payee is captured',
    file: DECISION,
    find: 'local.currency === ordered.currency && local.minor === ordered.minor',
    replace: 'local.currency === ordered.currency',
    tests: AMOUNTS,
    mustFail: 'one satang less is not captured',
  },
  {
    name: 'another currency at the payee is captured',
    file: DECISION,
    find: 'local.currency === ordered.currency && local.minor === ordered.minor',
    replace: 'local.minor === ordered.minor',
    tests: AMOUNTS,
    mustFail: 'another currency is not captured',
  },
  {
    name: 'an amount that nobody says is captured',
    file: DECISION,
    find: "isAmountKnown(answer.facts, answered) ? 'paid' : 'open'",
    replace: "'paid'",
    tests: AMOUNTS,
    mustFail: 'paid in an amount that nobody says, for an order in cents, is an acceptance only',
  },
  {
    name: 'paid in an amount that nobody says permits the capture',
    file: DECISION,
    find: "if (isOpen && seen.answer.outcome === 'paid') return 'pending';",
    replace: '',
    tests: AMOUNTS,
    mustFail: 'paid in an amount that nobody says, for an order in cents, is an acceptance only',
  },
  {
    name: 'a cost a trifle above its bound needs nobody',
    file: 'src/postgres/payouts/endings.ts',
    find: 'p.cost_debited * 100 > p.max_cost_usd_cents',
    replace: 'trunc(p.cost_debited * 100) > p.max_cost_usd_cents',
    tests: AMOUNTS,
    mustFail: 'of 12.500000000000000001 for 12.50 USD is captured',
  },
  {
    name: 'money that came back is raised every day',
    file: ASKS,
    find: "in ('returned', 'declined') and returned_at is null end",
    replace: "in ('returned', 'declined') end",
    tests: RETURNS,
    mustFail: 'an acknowledged return is not raised again, and paid after it is',
  },
  {
    name: 'paid after a return needs nobody',
    file: ASKS,
    find: "when $2 = 'paid' then returned_at is not null",
    replace: "when $2 = 'paid' then false",
    tests: RETURNS,
    mustFail: 'a refunded payment is queried too: paid after a return needs people',
  },
  {
    name: 'two workers query a captured payment',
    file: ASKS,
    find: "set ask_at = service_now() + interval '10 min'",
    replace: 'set ask_at = p.ask_at',
    tests: RETURNS,
    mustFail: 'two workers at once query each payment once',
  },
];
