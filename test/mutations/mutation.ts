// A deliberate mistake in the product, and what must turn red for it: a test, or an invariant of a chaos run.

interface Edit {
  /** As one would confess it. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Settings of the simulated lives that can meet it; all others are drawn. */
  readonly simulated?: Readonly<Record<string, string>>;
}

export interface TestMutation extends Edit {
  /** Test files: the fastest that catch it. */
  readonly tests: readonly [string, ...string[]];
  /** A part of the full name of the test that must fail. */
  readonly mustFail: string;
}

export interface ChaosMutation extends Edit {
  /** The faults that bring it to light; `none` where the load alone does. */
  readonly only: readonly string[];
  readonly seconds: number;
  /** The name of the invariant that must be violated. */
  readonly mustViolate: string;
}

export type Mutation = TestMutation | ChaosMutation;

export interface Verdict {
  readonly verdict: 'caught' | 'survived' | 'caught by another' | 'broken';
  /** How it was caught, or by what instead, or why nothing could be run. */
  readonly detail: string;
  /** What has caught it, where nothing is named for that. */
  readonly by?: string;
}
