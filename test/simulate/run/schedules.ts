// Which lives are lived: drawn from a seed, or every placement of up to two faults. Each is named by a number, so that it can be
// repeated alone and shared out over processes.
import { createRandom } from '../../bench/load/random';
import { drawn, scripted, type Choice, type RecordedChoices, type Script } from './choices';
import { BACKUP_SETTING } from '../world/backup';
import { isRestore } from '../world/postgres';
import { PROVIDER_SETTING } from '../world/provider';
import { WAITING_SETTING } from '../world/stories';
import type { Wishes } from './command-line';

export interface Schedule {
  readonly number: number;
  readonly choices: RecordedChoices;
  /** False where it is lived by every shard, for its points alone. */
  readonly isCounted: boolean;
}

/** The lives of the shard, one after the other; the choices of each are read once it was lived. */
export function* schedulesOf(wishes: Wishes): Generator<Schedule> {
  const { seed, lives, shard, life, script, fixed, exhaustive } = wishes;
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
    const choices = drawn(createRandom(mixed(seed, number)), fixed);
    yield { number, choices, isCounted: true };
  }
}

/** Neighbours in either have nothing in common. */
function mixed(seed: number, number: number): number {
  return Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
}

/**
 * Every placement of up to two faults, within these bounds. Of the settings one at most is not the usual one; with two faults that
 * is the provider. What people do while it waits is nothing. Where there is a backup, the first fault is that Postgres is put back to
 * it. A single fault comes the first or second time that a life comes to its point. Of two, the first comes the first time, and the
 * second the first time after it. A worker meets its faults and messages where a step of it ends, which is where the next one
 * begins; where two steps end one right after the other, where the second ends. The order of turns is the usual one. The points of a
 * life are known once it was lived, so each yields those that follow from it.
 */
function* everySchedule(faults: number, shard: Wishes['shard']): Generator<Schedule> {
  // Its settings are not known before it was lived.
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

/** A backup changes nothing before Postgres is put back to it, so that is the first fault of a life with one. */
function isWorthIt({ script }: Follower): boolean {
  return !(BACKUP_SETTING in script) || Object.values(script).some(isRestore);
}

/** Whether it is lived with a second fault too: faults have a number, settings have none. */
function isPaired({ script }: Follower): boolean {
  return Object.keys(script).every((name) => name === PROVIDER_SETTING || name.endsWith(' #1'));
}

interface Follower {
  readonly script: Script;
  /** The choice at which its last fault comes. */
  readonly at: Point;
}

/** A choice at which a fault is tried. */
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

/** The scripts with one fault more than a life that was lived. */
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

/** The first of the usual settings is the script without any. */
function usualButOne(settings: readonly Choice[]): readonly Script[] {
  const tried = settings.filter(({ name }) => name !== WAITING_SETTING);
  const others = tried.flatMap(({ name, options }) =>
    options.slice(1).map((option): Script => ({ [name]: option })),
  );
  return [{}, ...others];
}
