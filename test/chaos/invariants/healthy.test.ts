// The checkers are checked: of a healthy run they find nothing, and they have looked at everything (architecture, section 8).
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
  ['left to people, and visible', anOpenEvidence()],
  [
    'expired, as GET said past the deadline and before the row did',
    anEvidence({ row: expired, journal: [], inbox: [], answers: [early] }),
  ],
])('of a healthy payment that is %s nothing is violated', (_name, evidence) => {
  expect(violatedIn(evidence)).toEqual([]);
});

it('of a healthy run everything there is was looked at', () => {
  const unchecked = findingsOf(anEvidence()).filter(({ checked }) => checked === 0);
  expect(unchecked.map(({ name }) => name)).toEqual([
    'a debit without a payout is released or visibly waiting',
    '409 to confirm was true',
    '200 to cancel was true',
    '409 to cancel was true',
    'a cancel is told 200 once',
    'operations were told the truth',
  ]);
});
