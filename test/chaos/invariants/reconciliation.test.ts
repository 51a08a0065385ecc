// A difference that `payctl reconcile` misses or invents, and a wrong exit code, are violations
// (architecture, section 8).
import {
  AN_EXECUTION,
  aFailedRow,
  anEvidence,
  anOpenEvidence,
  anOpenRow,
  aRow,
  ID,
  violatedIn,
} from './evidence-of';
import { RETURNED_USD_CENTS } from './reconciliation';

const FINDS = 'payctl reconcile finds every difference and invents none';
const EXITS = 'payctl reconcile exits 3 with findings and 0 without';
const KEY = AN_EXECUTION.key;

const reported = (exitCode: number, ...found: readonly string[]) => ({
  reconciliation: { exitCode, lastWords: '', found },
});
const reconciliationIn = (evidence: Parameters<typeof violatedIn>[0]) =>
  violatedIn(evidence).filter((name) => name.startsWith('payctl reconcile'));

const failedAndPaid = { row: aFailedRow(), journal: [AN_EXECUTION] };

it.each([
  ['misses', reported(0)],
  ['reports with another kind', reported(3, `amount_differs ${KEY}`)],
])('a failed payment that was paid, which it %s, is a violation', (_what, reconciliation) => {
  const evidence = anEvidence({ ...failedAndPaid, ...reconciliation });
  expect(reconciliationIn(evidence)).toEqual([FINDS]);
});

it.each([
  ['captured_not_paid', { journal: [] }],
  ['amount_differs', { journal: [{ ...AN_EXECUTION, amount_usd_cents: 1 }] }],
  ['corridor_differs', { journal: [{ ...AN_EXECUTION, corridor: 'vn_qrpay' }] }],
  ['paid_twice', { journal: [AN_EXECUTION, AN_EXECUTION] }],
  ['paid_not_captured', failedAndPaid],
])('a difference of kind %s is a violation only if it misses it', (kind, spoilt) => {
  expect(reconciliationIn(anEvidence({ ...spoilt, ...reported(0) }))).toEqual([FINDS]);
  expect(reconciliationIn(anEvidence({ ...spoilt, ...reported(3, `${kind} ${KEY}`) }))).toEqual([]);
});

it('money that came back is a difference until it is booked', () => {
  const journal = [{ ...AN_EXECUTION, amount_usd_cents: RETURNED_USD_CENTS }];
  const found = reported(3, `returned ${KEY}`);
  const row = aRow({ cents: RETURNED_USD_CENTS });
  expect(reconciliationIn(anEvidence({ row, journal, ...found }))).toEqual([]);
  expect(reconciliationIn(anEvidence({ row, journal, ...reported(0) }))).toEqual([FINDS]);
});

it('an unknown key is a violation only if it misses it', () => {
  const journal = [AN_EXECUTION, { ...AN_EXECUTION, key: 'a key, no intent' }];
  expect(reconciliationIn(anEvidence({ journal, ...reported(0) }))).toEqual([FINDS]);
  const found = reported(3, 'key_unknown a key, no intent');
  expect(reconciliationIn(anEvidence({ journal, ...found }))).toEqual([]);
});

it('a finding about a correct payment is a violation', () => {
  const evidence = anEvidence(reported(3, `captured_not_paid ${KEY}`));
  expect(reconciliationIn(evidence)).toEqual([FINDS]);
});

it('a paid payment that needs attention is a difference, and a payment under way may be one', () => {
  const row = anOpenRow(40_008);
  const journal = [{ ...AN_EXECUTION, key: `${ID}:payout`, amount_usd_cents: 40_008 }];
  const found = reported(3, `paid_not_captured ${KEY}`);
  expect(reconciliationIn({ ...anOpenEvidence(row), journal, ...found })).toEqual([]);
  const underWay = { ...anOpenEvidence({ ...row, attention: null }), journal };
  expect(reconciliationIn({ ...underWay, ...reported(0) })).toEqual([]);
  expect(reconciliationIn({ ...underWay, ...found })).toEqual([]);
});

it.each([
  ['2, without a reconciliation', reported(2)],
  ['3, without findings', reported(3)],
])('exit code %s is a violation', (_what, reconciliation) => {
  expect(reconciliationIn(anEvidence(reconciliation))).toEqual([EXITS]);
});

it('exit code 0 with a finding is a violation', () => {
  const evidence = anEvidence({
    row: aRow(),
    journal: [],
    ...reported(0, `captured_not_paid ${KEY}`),
  });
  expect(reconciliationIn(evidence)).toEqual([EXITS]);
});
