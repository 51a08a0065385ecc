// What other programs read of a run (architecture, section 8), and whether it counts as clean.
import { isClean, publicReport, tableOf, type Report } from './report';

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
      seconds: 60,
      seed: 1,
      faults: { 'kill api': 2 },
      payments: 3,
      invariants: [{ name: 'the ledger sums to zero', checked: 7, violations: 1 }],
    });
  });

  it('is clean when nothing is violated, and only then', () => {
    expect([isClean(aReport(0)), isClean(aReport(1))]).toEqual([true, false]);
  });

  it('shows people what is violated by an example, where a process died, and what was not done', () => {
    const table = tableOf(aReport(1)).join('\n');
    expect(table).toMatch(/^the ledger sums to zero +7 +1 !$/m);
    expect(table).toContain('held is 1, not 0');
    expect(table).toContain('funds.debit after');
    expect(table).toContain('disk: not done, since only on Linux');
  });
});
