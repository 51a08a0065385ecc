// The checker is checked: of a healthy run it finds nothing, and it has looked at everything (architecture, section 8).
import { aBody, aFailedRow, anAnswer, anEvidence, anOpenEvidence, aRow } from './evidence-of';
import { findingsOf, violatedIn } from './violated';

describe('of a healthy run nothing is violated', () => {
  it.each([
    ['captured', anEvidence()],
    ['failed, its debit given back', anEvidence({ row: aFailedRow() })],
    ['left to people, and visible', anOpenEvidence()],
  ])('%s', (_name, evidence) => {
    expect(violatedIn(evidence)).toEqual([]);
  });

  it('and everything there is was looked at', () => {
    const unchecked = findingsOf(anEvidence())
      .filter(({ checked }) => checked === 0)
      .map(({ name }) => name);
    expect(unchecked).toEqual([
      'a debit without a payout is released or visibly waiting',
      '409 to confirm was true',
      '200 to cancel was true',
      '409 to cancel was true',
      'a cancel is told 200 once',
      'operations were told the truth',
    ]);
  });
});

it('a GET past the deadline may say expired before the row does', () => {
  const row = aRow({
    ...{
      status: 'expired',
      capturedAtMs: null,
      transfers: [],
      payout: null,
      events: [],
      tokens: [],
    },
    transitions: [{ from: 'created', to: 'expired', atMs: 1_040_000, actor: 'system' }],
  });
  const early = anAnswer({ text: aBody('expired'), sentAtMs: 1_034_000, answeredAtMs: 1_034_010 });
  const evidence = anEvidence({ row, journal: [], inbox: [], answers: [early] });
  expect(violatedIn(evidence)).toEqual([]);
});
