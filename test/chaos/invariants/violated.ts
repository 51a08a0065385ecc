// Which invariants a piece of evidence violates, for the tests of the checkers.
import { checkAll } from '../check-all';
import type { Evidence } from '../evidence';
import type { Finding } from '../finding';

/** What was spoilt, the invariant that this violates, and the evidence of it. */
export type Violation = readonly [what: string, invariant: string, evidence: Evidence];

const CIRCUMSTANCES = { staysVisible: [40_005], nowMs: 1_060_000 };

export function findingsOf(evidence: Evidence): readonly Finding[] {
  return checkAll(evidence, CIRCUMSTANCES);
}

export function violatedIn(evidence: Evidence): readonly string[] {
  return findingsOf(evidence)
    .filter(({ violations }) => violations > 0)
    .map(({ name }) => name);
}
