// Time and randomness, handed in. ESLint keeps everything else from reading the time (eslint.config.mjs). Randomness is not
// guarded: what no test has to choose, such as a balance slot or an initialisation vector, draws its own.

export interface Clock {
  /** The present instant. */
  now(): Date;
}

/** Milliseconds since it was started. It is not behind, whatever happened to the machine or its clock, as far as that can be. */
export type Stopwatch = () => number;

export interface Randomness {
  /** That many unpredictable bytes. */
  bytes(count: number): Uint8Array;
}
