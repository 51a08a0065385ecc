// The checker is checked: what `payctl reconcile` misses, invents or exits with by mistake is a violation (architecture, section 8).
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

const FINDS = 'payctl reconcile finds every difference and invents none';
const EXITS = 'payctl reconcile exits by what it found';
const KEY = AN_EXECUTION.key;

const told = (exitCode: number, ...found: readonly string[]) => ({
  reconciliation: { exitCode, lastWords: '', found },
});
const reconciliationIn = (evidence: Parameters<typeof violatedIn>[0]) =>
  violatedIn(evidence).filter((name) => name.startsWith('payctl reconcile'));

const failedAndPaid = { row: aFailedRow(), journal: [AN_EXECUTION] };

it.each([
  ['misses', told(0)],
  ['tells of another kind', told(3, `amount_differs ${KEY}`)],
])('a payment that failed and was paid, of which it %s', (_what, reconciliation) => {
  const evidence = anEvidence({ ...failedAndPaid, ...reconciliation });
  expect(reconciliationIn(evidence)).toEqual([FINDS]);
});

it.each([
  ['captured_not_paid', { journal: [] }],
  ['amount_differs', { journal: [{ ...AN_EXECUTION, amount_usd_cents: 1 }] }],
  ['corridor_differs', { journal: [{ ...AN_EXECUTION, corridor: 'vn_qrpay' }] }],
  ['paid_twice', { journal: [AN_EXECUTION, AN_EXECUTION] }],
  ['paid_not_captured', failedAndPaid],
])('a difference of the kind %s that it misses, and not one that it finds', (kind, spoilt) => {
  expect(reconciliationIn(anEvidence({ ...spoilt, ...told(0) }))).toEqual([FINDS]);
  expect(reconciliationIn(anEvidence({ ...spoilt, ...told(3, `${kind} ${KEY}`) }))).toEqual([]);
});

it('a key that we do not know, which it misses', () => {
  const journal = [AN_EXECUTION, { ...AN_EXECUTION, key: 'a key, no intent' }];
  expect(reconciliationIn(anEvidence({ journal, ...told(0) }))).toEqual([FINDS]);
  const found = told(3, 'key_unknown a key, no intent');
  expect(reconciliationIn(anEvidence({ journal, ...found }))).toEqual([]);
});

it('what it invents of a payment that is as it should be', () => {
  const evidence = anEvidence(told(3, `captured_not_paid ${KEY}`));
  expect(reconciliationIn(evidence)).toEqual([FINDS]);
});

it('a payment that waits for people although it was paid is a difference, and one on its way may be one', () => {
  const row = anOpenRow(40_008);
  const journal = [{ ...AN_EXECUTION, key: `${ID}:payout`, amount_usd_cents: 40_008 }];
  const found = told(3, `paid_not_captured ${KEY}`);
  expect(reconciliationIn({ ...anOpenEvidence(row), journal, ...found })).toEqual([]);
  const underWay = { ...anOpenEvidence({ ...row, attention: null }), journal };
  expect(reconciliationIn({ ...underWay, ...told(0) })).toEqual([]);
  expect(reconciliationIn({ ...underWay, ...found })).toEqual([]);
});

it.each([
  ['2, with nothing compared', told(2)],
  ['3, with no finding', told(3)],
])('that it exits %s', (_what, reconciliation) => {
  expect(reconciliationIn(anEvidence(reconciliation))).toEqual([EXITS]);
});

it('that it exits 0 with a finding', () => {
  const evidence = anEvidence({ row: aRow(), journal: [], ...told(0, `captured_not_paid ${KEY}`) });
  expect(reconciliationIn(evidence)).toEqual([EXITS]);
});
