// A deliberate defect in the product, and the test that must detect it.

export interface Mutation {
  /** A sentence that says what the mutated code does wrong. */
  readonly name: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The fastest test files that detect it. */
  readonly tests: readonly [string, ...string[]];
  /** A part of the full name of the test that must fail. */
  readonly mustFail: string;
}

export interface Verdict {
  readonly verdict: 'caught' | 'survived' | 'caught by another' | 'broken';
  /** How it was caught, what failed instead, or why nothing could run. */
  readonly detail: string;
}
