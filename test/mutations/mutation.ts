// A deliberate defect in the product, and the test or chaos invariant that must detect it.

interface Edit {
  /** A sentence that says what the mutated code does wrong. */
  readonly name: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface TestMutation extends Edit {
  /** The fastest test files that detect it. */
  readonly tests: readonly [string, ...string[]];
  /** A part of the full name of the test that must fail. */
  readonly mustFail: string;
}

export interface ChaosMutation extends Edit {
  /** The faults that trigger it, or `none` when load alone triggers it. */
  readonly only: readonly string[];
  readonly seconds: number;
  /** The name of the invariant that must be violated. */
  readonly mustViolate: string;
}

export type Mutation = TestMutation | ChaosMutation;

export interface Verdict {
  readonly verdict: 'caught' | 'survived' | 'caught by another' | 'broken';
  /** How it was caught, what failed instead, or why nothing could run. */
  readonly detail: string;
  /** What caught it, when the mutation names no test or invariant for that. */
  readonly by?: string;
}
