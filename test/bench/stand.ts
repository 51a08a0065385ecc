// What a benchmark is handed.
import type { Random } from './load/random';
import type { World } from './world';

export interface Stand {
  readonly world: World;
  readonly random: Random;
  /** A smoke run: everything once, figures that prove nothing. */
  readonly isQuick: boolean;
  /** One line of progress. */
  readonly tell: (text: string) => void;
}
