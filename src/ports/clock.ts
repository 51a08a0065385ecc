// Time and randomness, handed in so that nothing else in the house reads them (eslint.config.mjs).

export interface Clock {
  /** The present instant. */
  now(): Date;
}

export interface Randomness {
  /** That many unpredictable bytes. */
  bytes(count: number): Uint8Array;
}
