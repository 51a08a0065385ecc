// What a benchmark is handed and what it answers.
import type { Random } from './random';
import type { Findings } from './report';
import type { World } from './world';

export interface Stand {
  readonly world: World;
  readonly random: Random;
  /** A smoke run: everything once, figures that prove nothing. */
  readonly isQuick: boolean;
  /** One line of progress. */
  readonly tell: (text: string) => void;
}

export interface Bench {
  readonly name: string;
  /** What its figures depend on, for the report's settings. */
  readonly settings: Readonly<Record<string, unknown>>;
  run(stand: Stand): Promise<readonly Findings[]>;
}
