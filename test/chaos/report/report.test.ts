// What `npm run chaos` understands (architecture, section 7), and what other programs read of a run (section 8).
import { UsageError } from '../../bench/command-line';
import { readCommandLine } from '../command-line';
import { isClean, publicReport, tableOf, type Report } from './report';

describe('the command line', () => {
  it('runs a minute with seed 1 and all faults unless told', () => {
    const unless = { seconds: 60, seed: 1, only: [], patienceSeconds: 90, perSecond: 4 };
    expect(readCommandLine([])).toMatchObject(unless);
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
    { name: 'the ledger sums to zero', checked: 7, violations, examples: ['held is 1, not 0'] },
  ],
  ...{ points: { 'funds.debit after': 1 }, settled_after_seconds: 4, webhooks_sent_again: 0 },
  ...{ skipped: { disk: 'only on Linux a file can be mounted' }, answers: {}, ends: {} },
});

describe('the report of a run', () => {
  it('is for other programs of these members and no others', () => {
    expect(publicReport(aReport(1))).toEqual({
      ...{ seconds: 60, seed: 1, faults: { 'kill api': 2 }, payments: 3 },
      invariants: [{ name: 'the ledger sums to zero', checked: 7, violations: 1 }],
    });
  });

  it('is clean when nothing is violated, and only then', () => {
    expect([isClean(aReport(0)), isClean(aReport(1))]).toEqual([true, false]);
  });

  it('shows people what is violated by an example, where a process died, and what was not done', () => {
    const table = tableOf(aReport(1)).join('\n');
    expect(table).toMatch(/^the ledger sums to zero +7 +1 !$/m);
    for (const part of ['held is 1, not 0', 'funds.debit after', 'disk: not done, since only on'])
      expect(table).toContain(part);
  });
});
