// The environment that a benchmark runs in.
import type { Random } from './load/random';
import type { World } from './world';

export interface Stand {
  readonly world: World;
  readonly random: Random;
  /** A smoke run executes everything once, and its figures prove nothing. */
  readonly isQuick: boolean;
  readonly printProgress: (text: string) => void;
}
