// The checker is checked: of every violation made by hand it finds the invariant that it violates (architecture, section 8).
import {
  AN_EXECUTION,
  aFailedRow,
  anEvidence,
  anOpenEvidence,
  anOpenRow,
  aRow,
  aRun,
  CAPTURE,
  HELD,
  ID,
  RELEASE,
} from './evidence-of';
import { violatedIn, type Violation } from './violated';

const transfers = (...list: readonly (typeof HELD)[]) =>
  anEvidence({ row: aRow({ transfers: list }) });

const MONEY: readonly Violation[] = [
  ['two debits', 'at most one debit and one payout per intent', transfers(HELD, HELD, CAPTURE)],
  [
    'two executions',
    'at most one debit and one payout per intent',
    anEvidence({ journal: [AN_EXECUTION, AN_EXECUTION] }),
  ],
  [
    'an execution under another key',
    'at most one debit and one payout per intent',
    anEvidence({ journal: [{ ...AN_EXECUTION, key: `${ID}:payout0.5` }] }),
  ],
  [
    'captured and released',
    'at most one debit and one payout per intent',
    transfers(HELD, CAPTURE, RELEASE),
  ],
  ['a payout without a debit', 'a payout implies a debit', transfers(CAPTURE)],
  [
    'a payout whose debit was given back',
    'a payout implies a debit',
    anEvidence({ row: aFailedRow(), journal: [AN_EXECUTION] }),
  ],
  [
    'a payout of an intent that there is not',
    'a payout implies a debit',
    anEvidence({ journal: [AN_EXECUTION, { ...AN_EXECUTION, key: 'pi_other:payout' }] }),
  ],
  [
    'a failed payment that keeps its debit',
    'a debit without a payout is released or visibly waiting',
    anEvidence({ row: aFailedRow({ transfers: [HELD] }) }),
  ],
  [
    'an open payment that nobody is told of',
    'a debit without a payout is released or visibly waiting',
    anOpenEvidence({ ...anOpenRow(), attention: null }),
  ],
  [
    'captured, and nothing paid out',
    'captured is paid out, and nothing else is kept',
    anEvidence({ journal: [] }),
  ],
  ['captured in the row only', 'captured is paid out, and nothing else is kept', transfers(HELD)],
  [
    'accounts that do not sum to zero',
    'the ledger sums to zero',
    anEvidence({ ledger: { balances: new Map([['held', 5]]), slotsCents: 0, checks: [] } }),
  ],
  [
    'slots that are not the holding account',
    'the ledger sums to zero',
    anEvidence({ ledger: { ...anEvidence().ledger, slotsCents: 1 } }),
  ],
  [
    'a transfer of another amount',
    'amounts agree everywhere',
    transfers({ ...HELD, cents: 1 }, CAPTURE),
  ],
  [
    'an execution of another amount',
    'amounts agree everywhere',
    anEvidence({ journal: [{ ...AN_EXECUTION, amount_usd_cents: 1 }] }),
  ],
  [
    'a run of another amount',
    'amounts agree everywhere',
    anEvidence({ runs: [aRun({ cents: 1 })] }),
  ],
  [
    'payctl finds something',
    'payctl ledger check: entries_sum_to_zero',
    anEvidence({
      ledger: {
        ...anEvidence().ledger,
        checks: [{ name: 'entries_sum_to_zero', checked: 1, violations: 1, examples: [] }],
      },
    }),
  ],
];

describe.each([['money', MONEY]])('%s', (_chapter, violations) => {
  it.each(violations)('%s violates "%s"', (_what, invariant, evidence) => {
    expect(violatedIn(evidence)).toContain(invariant);
  });
});
