// The command line of `npm run chaos` (architecture, section 7) and its report for other programs
// (section 8).
import { UsageError } from '../../bench/command-line';
import { readCommandLine } from '../command-line';
import { isClean, publicReport, tableOf, type Report } from './report';

describe('the command line', () => {
  it('defaults to one minute, seed 1 and all faults', () => {
    const defaults = { seconds: 60, seed: 1, only: [], perSecond: 4 };
    expect(readCommandLine([])).toMatchObject(defaults);
    const args = ['--seconds', '300', '--seed', '7', '--json', 'out.json', '--only', 'kill'];
    expect(readCommandLine([...args, '--only', 'cut'])).toMatchObject({
      ...{ seconds: 300, seed: 7, jsonFile: 'out.json', only: ['kill', 'cut'] },
    });
  });

  it.each([
    '--seconds 0',
    '--seconds 1.5',
    '--seed -1',
    '--seed two',
    '--rate 1000',
    '--fast',
    '60',
  ])('rejects %s before anything is started', (args) => {
    expect(() => readCommandLine(args.split(' '))).toThrow(UsageError);
  });
});

const aReport = (violations: number): Report => ({
  ...{ seconds: 60, seed: 1, faults: { 'kill api': 2 }, payments: 3 },
  invariants: [
    { name: 'the ledger sums to zero', checked: 7, violations, examples: ['reserved is 1, not 0'] },
  ],
  points: { 'funds.debit after': 1 },
  ...{ skipped: { disk: 'only Linux can mount a file' }, answers: {}, ends: {} },
});

describe('the report of a run', () => {
  it('has exactly these members for other programs', () => {
    expect(publicReport(aReport(1))).toEqual({
      ...{ seconds: 60, seed: 1, faults: { 'kill api': 2 }, payments: 3 },
      invariants: [{ name: 'the ledger sums to zero', checked: 7, violations: 1 }],
    });
  });

  it('is clean only when no invariant is violated', () => {
    expect([isClean(aReport(0)), isClean(aReport(1))]).toEqual([true, false]);
  });

  it('shows examples of violations, the failpoints that fired, and skipped faults', () => {
    const table = tableOf(aReport(1)).join('\n');
    expect(table).toMatch(/^the ledger sums to zero +7 +1 !$/m);
    for (const part of [
      'reserved is 1, not 0',
      'funds.debit after',
      'disk: skipped, because only Linux',
    ])
      expect(table).toContain(part);
  });
});
