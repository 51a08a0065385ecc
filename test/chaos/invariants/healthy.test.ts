// The checkers find no violation in a healthy run, and each of them has checked something
// (architecture, section 8).
import {
  aBody,
  aFailedRow,
  anAnswer,
  anEvidence,
  anOpenEvidence,
  anUnpaidRow,
  findingsOf,
  violatedIn,
} from './evidence-of';

const expired = anUnpaidRow('expired', 1_040_000, 'system');
const early = anAnswer({ text: aBody('expired'), sentAtMs: 1_034_000, answeredAtMs: 1_034_010 });

it.each([
  ['captured', anEvidence()],
  ['failed, its debit given back', anEvidence({ row: aFailedRow() })],
  ['in need of attention, and visible', anOpenEvidence()],
  [
    'expired, which GET showed after the deadline and before the row',
    anEvidence({ row: expired, journal: [], inbox: [], answers: [early] }),
  ],
])('a healthy payment that is %s violates nothing', (_name, evidence) => {
  expect(violatedIn(evidence)).toEqual([]);
});

it('every invariant with something to check in a healthy run has checked it', () => {
  const unchecked = findingsOf(anEvidence()).filter(({ checked }) => checked === 0);
  expect(unchecked.map(({ name }) => name)).toEqual([
    'a debit without a payout is released or needs attention',
    '409 to confirm was true',
    '200 to cancel was true',
    '409 to cancel was true',
    'only one cancel is answered 200',
    'answers to operators were true',
  ]);
});
