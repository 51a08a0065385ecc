// A failure of a payment system that is publicly documented: its naive logic, the schedule that breaks it, and the same schedule for
// this engine.
import type { Script } from '../run/choices';

/** What the naive logic works on; each exhibit has its own. */
type Till = Record<string, number | string | boolean>;

/** Acts in one step, or in several with a `yield` between two. */
export type Actor = (till: Till) => Generator<undefined, void> | void;

export interface Exhibit {
  readonly title: string;
  readonly link: string;
  readonly what: string;
  /** What prevents it here, and where that is decided. */
  readonly rule: string;
  readonly naive: Naive;
  /** The schedule for the engine. */
  readonly script: Script;
  /** How the payment ends here. */
  readonly end: string;
}

export interface Naive {
  readonly till: Till;
  readonly actors: Readonly<Record<string, Actor>>;
  /** The names of those that take the next step, in turn. One that is not named again has died. */
  readonly order: readonly string[];
  readonly isBroken: (till: Till) => boolean;
}

/** What the naive logic comes to. */
export function perform({ till: start, actors, order }: Naive): Till {
  const till = { ...start };
  const begun = new Map<string, Generator<undefined, void>>();
  for (const name of order) {
    const actor = actors[name];
    if (actor === undefined) throw new Error(`there is no actor ${name}`);
    const running = begun.get(name) ?? actor(till);
    if (!running) continue;
    begun.set(name, running);
    running.next();
  }
  return till;
}

/** Members that are counted. */
export function count(till: Till, name: string, by = 1): void {
  till[name] = Number(till[name] ?? 0) + by;
}
