// A publicly documented failure of a payment system: its naive logic, the schedule that breaks it,
// and the same schedule for this engine.
import type { Script } from '../run/choices';

/** The data of the naive logic; each exhibit has its own. */
type State = Record<string, number | string | boolean>;

/** Acts in one step, or in several steps with `yield` between them. */
export type Actor = (state: State) => Generator<undefined, void> | void;

export interface Exhibit {
  readonly title: string;
  readonly link: string;
  readonly what: string;
  /** The rule that prevents the failure here, with its decision. */
  readonly rule: string;
  readonly naive: Naive;
  /** The schedule for the engine. */
  readonly script: Script;
  /** The last transition of the payment here. */
  readonly end: string;
}

interface Naive {
  readonly state: State;
  readonly actors: Readonly<Record<string, Actor>>;
  /** The actors in the order of their steps. An actor that is not named again has died. */
  readonly order: readonly string[];
  readonly isBroken: (state: State) => boolean;
}

/** Runs the naive logic and returns its final state. */
export function perform({ state: start, actors, order }: Naive): State {
  const state = { ...start };
  const begun = new Map<string, Generator<undefined, void>>();
  for (const name of order) {
    const actor = actors[name];
    if (actor === undefined) throw new Error(`there is no actor ${name}`);
    const running = begun.get(name) ?? actor(state);
    if (!running) continue;
    begun.set(name, running);
    running.next();
  }
  return state;
}

/** Increases a counter in the state. */
export function count(state: State, name: string, by = 1): void {
  state[name] = Number(state[name] ?? 0) + by;
}
