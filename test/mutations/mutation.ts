// One deliberate mistake, and the test that must catch it.

export interface Mistake {
  /** As one would confess it. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface Mutation extends Mistake {
  /** Test files: the fastest that catch it. */
  readonly tests: readonly [string, ...string[]];
  /** A part of the full name of the test that must fail. */
  readonly mustFail: string;
}
