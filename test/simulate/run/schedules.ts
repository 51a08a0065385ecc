// The lives to run: drawn from a seed, or every placement of up to two faults. Each has a number,
// so that it can be repeated alone and distributed over processes.
import { createRandom } from '../../bench/load/random';
import { drawn, scripted, type Choice, type RecordedChoices, type Script } from './choices';
import { BACKUP_SETTING } from '../world/backup';
import { isRestore } from '../world/postgres';
import { PROVIDER_SETTING } from '../world/provider-settings';
import { WAITING_SETTING } from '../world/stories';
import type { SimulateOptions } from './command-line';

export interface Schedule {
  readonly number: number;
  readonly choices: RecordedChoices;
  /** False for a life that every shard runs only to learn its points. */
  readonly isCounted: boolean;
}

/**
 * Yields the lives of the shard. The caller must run each before it takes the next, because later
 * ones depend on it.
 */
export function* schedulesOf(options: SimulateOptions): Generator<Schedule> {
  const { seed, lives, shard, life, script, exhaustive } = options;
  if (script !== undefined) {
    yield { number: 0, choices: scripted(script), isCounted: true };
    return;
  }
  if (exhaustive !== undefined) {
    yield* everySchedule(exhaustive, shard);
    return;
  }
  const isWanted = (number: number) =>
    life === undefined ? number % shard.count === shard.index - 1 : number === life;
  for (let number = 0; number < Math.max(lives, (life ?? 0) + 1); number += 1) {
    if (!isWanted(number)) continue;
    yield { number, choices: drawn(createRandom(mixed(seed, number))), isCounted: true };
  }
}

/** A hash, so that neighbouring seeds and numbers give unrelated lives. */
function mixed(seed: number, number: number): number {
  return Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
}

/**
 * Every placement of up to two faults, within these bounds:
 * - At most one setting is not the usual one; with two faults only the provider setting.
 * - No partner, payer or operator acts while the payment waits.
 * - A life with a backup has the restore of Postgres as its first fault.
 * - A single fault comes at the first or second visit of its point. Of two faults, the first comes
 *   at the first visit, the second at the first visit after it.
 * - A worker has faults and messages where one of its steps ends, which is where the next begins.
 *   Of two steps that end directly after each other, only the second counts.
 * - The order of turns is the usual one.
 *
 * The points of a life are known only after it has run, so each life yields the lives that follow
 * from it.
 */
function* everySchedule(faults: number, shard: SimulateOptions['shard']): Generator<Schedule> {
  // The settings are known only after the life has run.
  const usual = scripted({});
  yield { number: 0, choices: usual, isCounted: false };
  const settings = usualButOne(usual.made.filter(({ isFault }) => !isFault));
  let number = 0;
  const isOurs = () => number % shard.count === shard.index - 1;
  for (const script of settings) {
    const choices = scripted(script);
    yield { number, choices, isCounted: isOurs() };
    const firsts = pointsOf(choices).filter(({ name }) => / #[12]$/.test(name));
    for (const one of followersOf(script, firsts).filter(isWorthIt)) {
      number += 1;
      if (isOurs()) yield* withFaults(one, isPaired(one) ? faults - 1 : 0, number);
    }
    number += 1;
  }
}

/** A backup has no effect before a restore, so the restore has to be the first fault. */
function isWorthIt({ script }: Follower): boolean {
  return !(BACKUP_SETTING in script) || Object.values(script).some(isRestore);
}

/** Whether a second fault is added: fault names end with a number, setting names do not. */
function isPaired({ script }: Follower): boolean {
  return Object.keys(script).every((name) => name === PROVIDER_SETTING || name.endsWith(' #1'));
}

interface Follower {
  readonly script: Script;
  /** The choice of its last fault. */
  readonly at: Point;
}

/** A choice at which faults are placed. */
interface Point extends Choice {
  readonly index: number;
}

function* withFaults({ script, at }: Follower, left: number, number: number): Generator<Schedule> {
  const choices = scripted(script);
  yield { number, choices, isCounted: true };
  if (left === 0) return;
  const later = firstOfEach(pointsOf(choices).filter(({ index }) => index > at.index));
  for (const one of followersOf(script, later)) yield* withFaults(one, left - 1, number);
}

/** Scripts with one more fault than the given one. */
function followersOf(script: Script, points: readonly Point[]): readonly Follower[] {
  return points.flatMap((at) =>
    at.options
      .slice(1)
      .map((option): Follower => ({ script: { ...script, [at.name]: option }, at })),
  );
}

function pointsOf({ made }: RecordedChoices): readonly Point[] {
  return made
    .map((choice, index) => ({ ...choice, index }))
    .filter((one) => isTried(one) && !(isEndOfStep(one) && isEndOfStep(made[one.index + 1])));
}

function firstOfEach(points: readonly Point[]): readonly Point[] {
  const seen = new Set<string>();
  return points.filter(({ name }) => {
    const point = name.replace(/ #\d+$/, '');
    return !seen.has(point) && seen.add(point);
  });
}

function isTried({ name, isFault }: Choice): boolean {
  return isFault && !name.startsWith('the turn of') && !name.includes(' begins #');
}

function isEndOfStep(choice: Choice | undefined): boolean {
  return /^the worker, where .* ends #/.test(choice?.name ?? '');
}

/** The empty script, then every script with one unusual setting. */
function usualButOne(settings: readonly Choice[]): readonly Script[] {
  const tried = settings.filter(({ name }) => name !== WAITING_SETTING);
  const others = tried.flatMap(({ name, options }) =>
    options.slice(1).map((option): Script => ({ [name]: option })),
  );
  return [{}, ...others];
}
