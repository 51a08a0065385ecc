// Time and randomness as dependencies. ESLint forbids reading the time elsewhere
// (eslint.config.mjs). Random values that no test must choose are drawn directly.

export interface Clock {
  /** The present instant. */
  now(): Date;
}

/**
 * Milliseconds since its start. A paused machine or a changed clock does not make it lag behind.
 */
export type Stopwatch = () => number;

export interface Randomness {
  /** Unpredictable bytes. */
  bytes(count: number): Uint8Array;
}
