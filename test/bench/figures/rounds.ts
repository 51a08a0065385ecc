// Measuring in rounds. Each round measures every side once, in an order that treats them alike, and rounds are added until
// the control is narrow enough: the reference against itself, which shows what this machine can tell apart today.
import { shuffled, type Random } from '../load/random';
import type { Stand } from '../stand';
import { halfWidth, distanceFromOne, median, ratioInterval, type Interval } from './statistics';

/** What one round measured, by side. */
export type Round = ReadonlyMap<string, number>;

/** The side that others are divided by, and the same thing under another name. */
export const REFERENCE = 'reference';
export const CONTROL = 'control';

/** After the first look, rounds come in fives: looking takes time too. */
const ROUNDS_BETWEEN_LOOKS = 5;
/** The control's interval has to contain 1 and to reach no further than this on either side. */
export const CONTROL_HALF_WIDTH_MAX = 0.03;

export interface Bounds {
  readonly roundsMin: number;
  readonly roundsMax: number;
  /** No round begins later than this. */
  readonly timeoutMs: number;
}

const QUICK_BOUNDS: Bounds = { roundsMin: 2, roundsMax: 2, timeoutMs: 10_000 };

export interface Reading extends Interval {
  readonly rounds: number;
  /** Medians over the rounds. */
  readonly ours: number;
  readonly reference: number;
}

/** By side. */
export type Readings = ReadonlyMap<string, Reading>;

interface Measuring {
  /** For the lines of progress. */
  readonly title: string;
  readonly measureRound: () => Promise<Round>;
  /** Sides that are to be the same as the reference: their intervals become as narrow as the control's, or clear of it. */
  readonly watched?: readonly string[];
  readonly bounds: Bounds;
}

export async function measureInRounds(
  { title, measureRound, watched, ...measuring }: Measuring,
  { random, isQuick, tell }: Pick<Stand, 'random' | 'isQuick' | 'tell'>,
): Promise<Readings> {
  const bounds = isQuick ? QUICK_BOUNDS : measuring.bounds;
  const startedAt = performance.now();
  const rounds: Round[] = [];
  for (;;) {
    rounds.push(await measureRound());
    const isOver =
      rounds.length >= bounds.roundsMax || performance.now() - startedAt > bounds.timeoutMs;
    tell(`${title}: round ${String(rounds.length)}`);
    if (!isOver && !isLookDue(rounds.length, bounds)) continue;
    const readings = readingsOf(rounds, random);
    tell(`${title}: round ${String(rounds.length)}, control ±${controlWidth(readings)} %`);
    if (isOver || isSteady(readings, watched)) return readings;
  }
}

function isLookDue(rounds: number, { roundsMin }: Bounds): boolean {
  return rounds >= roundsMin && (rounds - roundsMin) % ROUNDS_BETWEEN_LOOKS === 0;
}

function isSteady(readings: Readings, watched: readonly string[] = []): boolean {
  return isControlled(readings) && watched.every((side) => isDecided(readings, side));
}

export function isControlled(readings: Readings): boolean {
  const control = readings.get(CONTROL);
  return control !== undefined && isNarrow(control) && distanceFromOne(control) === 0;
}

function controlWidth(readings: Readings): string {
  const control = readings.get(CONTROL);
  return control === undefined ? '?' : (halfWidth(control) * 100).toFixed(1);
}

/** As narrow as a control, or further from 1 than any control may be: more rounds would not bring it back. */
function isDecided(readings: Readings, side: string): boolean {
  const reading = readings.get(side);
  if (reading === undefined) return false;
  return isNarrow(reading) || distanceFromOne(reading) > CONTROL_HALF_WIDTH_MAX;
}

export function isNarrow(interval: Interval): boolean {
  return halfWidth(interval) <= CONTROL_HALF_WIDTH_MAX;
}

export function readingsOf(rounds: readonly Round[], random: Random): Readings {
  const valuesOf = (side: string) => rounds.map((round) => round.get(side) ?? Number.NaN);
  const references = valuesOf(REFERENCE);
  const sides = [...(rounds[0]?.keys() ?? [])].filter((side) => side !== REFERENCE);
  return new Map(
    sides.map((side) => {
      const values = valuesOf(side);
      const ratios = values.map((value, index) => value / (references[index] ?? Number.NaN));
      const interval = ratioInterval(ratios, random);
      const medians = { ours: median(values), reference: median(references) };
      return [side, { ...interval, rounds: rounds.length, ...medians }];
    }),
  );
}

/**
 * Every side twice a lap, there and back: the ABBA of two sides for any number of them. The order is drawn anew each lap, so
 * that no side always follows the same other one.
 */
export function thereAndBack<Side>(sides: readonly Side[], laps: number, random: Random): Side[] {
  const there = Array.from({ length: laps }, () => shuffled(sides, random));
  return there.flatMap((lap) => [...lap, ...lap.toReversed()]);
}
