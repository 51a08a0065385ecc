// Mutations of money that comes back by a provider's statement, of the cause of its refund, and of
// declines that a provider revokes (decision 152).
import type { Mutation } from '../mutation';

const BOOKS = 'src/postgres/reports/reconcile-books.ts';
const ASKS = 'src/postgres/payouts/paid-asks.ts';
const STATEMENT = ['test/ops/ledger/reconcile-returns.test.ts'] as const;
const QUERIES = ['test/postgres/payouts/paid-asks.test.ts'] as const;
const REFUND = ['test/ops/intents/refund.test.ts'] as const;

export const RETURN_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a line of money that came back counts as moving none',
    file: 'src/ops/ledger/reconcile/statement.ts',
    find: "if (status === 'paid' || status === 'returned') return status;",
    replace: "if (status === 'paid') return status;\n  if (status === 'returned') return null;",
    tests: STATEMENT,
    mustFail: 'is a finding beside the line of its payment, if the payment is captured',
  },
  {
    name: 'money that came back is no finding while the payment is open',
    file: BOOKS,
    find: "status in ('created', 'authorized', 'captured')`",
    replace: "status = 'captured'`",
    tests: STATEMENT,
    mustFail: 'of a payment that is authorized is a finding',
  },
  {
    name: 'money that came back is a finding although its refund has booked it',
    file: BOOKS,
    find: "status in ('created', 'authorized', 'captured')`",
    replace: "status in ('created', 'authorized', 'captured', 'refunded')`",
    tests: STATEMENT,
    mustFail: 'of a payment that is refunded is no finding: both books say that it is ours',
  },
  {
    name: 'a payment that is paid and returned in the statement is reported as paid',
    file: BOOKS,
    find: 'and not l.has_return',
    replace: '',
    tests: STATEMENT,
    mustFail: 'of a payment that is failed is no finding: both books say that it is ours',
  },
  {
    name: 'a return counts as a second payment',
    file: BOOKS,
    find: 'greatest(count(*) filter (where not s.is_returned) over of_key,',
    replace: 'greatest(count(*) over of_key,',
    tests: STATEMENT,
    mustFail: 'of a payment that is refunded is no finding: both books say that it is ours',
  },
  {
    name: 'money that came back twice is not reported',
    file: BOOKS,
    find: 'count(*) filter (where s.is_returned) over of_key) as times',
    replace: '0) as times',
    tests: STATEMENT,
    mustFail: 'twice, or before a second payment, is a payout that is there twice',
  },
  {
    name: 'a payment refunded since the books were read is reported as returned',
    file: 'src/postgres/reports/findings.ts',
    find: "and (p.kind <> 'returned' or ${isReturnUnbooked('i')})",
    replace: '',
    tests: STATEMENT,
    mustFail: 'is not stored for a payment that was refunded after the books were read',
  },
  {
    name: 'a statement that takes a return back ends what a query may have raised',
    file: 'src/postgres/reports/closed-findings.ts',
    find: "       and a.kind <> 'returned'\n",
    replace: '',
    tests: STATEMENT,
    mustFail: 'that a later statement takes back is closed, and its attention is for an operator',
  },
  {
    name: 'a payment whose money came back is resolved as paid',
    file: 'src/ops/ledger/reconcile/finding-sentences.ts',
    find: "if (kind !== 'paid_not_captured' || status !== 'authorized') return false;",
    replace: "if (status !== 'authorized') return false;",
    tests: STATEMENT,
    mustFail: 'of a payment that is authorized is a finding',
  },
  {
    name: 'a refund names a return that the provider has taken back',
    file: ASKS,
    find: "($2 <> 'paid' and p.returned_at is not null)",
    replace: '(p.returned_at is not null)',
    tests: QUERIES,
    mustFail: 'is what it said before, while it is silent; but not if it says paid',
  },
  {
    name: 'a refund does not name money that came back by a statement',
    file: ASKS,
    find: "f.kind = 'returned' and f.closed_at is null",
    replace: "f.kind = 'returned' and f.closed_at is not null",
    tests: REFUND,
    mustFail: 'is money that came back, if a statement says so, and closes its finding',
  },
  {
    name: 'a refund waits for a provider that cannot be queried',
    file: 'workflows/refund-intent.ts',
    find: '.catch(() => false)',
    replace: '',
    tests: REFUND,
    mustFail: 'is the operator’s while the provider is silent, and where it cannot be queried',
  },
  {
    name: 'a revoked decline needs nobody',
    file: ASKS,
    find: "where case when status = 'declined' then $2 = 'paid'",
    replace: "where case when status = 'declined' then false",
    tests: QUERIES,
    mustFail: 'needs people once the provider says paid, stays failed, and is queried no more',
  },
  {
    name: 'a decline that may be revoked is not queried again',
    file: 'src/postgres/payouts/endings.ts',
    find: "case when p.declined_at is not null and $actor = 'system'",
    replace: "case when p.declined_at is null and $actor = 'system'",
    tests: QUERIES,
    mustFail: 'is queried for a day, if the provider may revoke the decline',
  },
];
