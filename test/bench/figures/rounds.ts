// Measures in rounds. Each round measures every side in an order that treats all alike. Rounds are
// added until the interval of the control is narrow enough: the control is the reference against
// itself, which shows what difference this machine can resolve.
import { shuffled, type Random } from '../load/random';
import type { Stand } from '../stand';
import { halfWidth, distanceFromOne, median, ratioInterval, type Interval } from './statistics';

/** The values of one round, by side. */
export type Round = ReadonlyMap<string, number>;

/** The side that others are divided by, and the same side under another name. */
export const REFERENCE = 'reference';
export const CONTROL = 'control';

/** Computing the readings takes time, so after the first one it happens every fifth round. */
const ROUNDS_BETWEEN_READINGS = 5;
/**
 * The interval of the control must contain 1 and must not reach further than this to either side.
 */
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
  /** Appears in the progress lines. */
  readonly title: string;
  readonly measureRound: () => Promise<Round>;
  /**
   * Sides that should equal the reference. Rounds are added until their intervals are narrow or
   * clearly differ.
   */
  readonly watched?: readonly string[];
  readonly bounds: Bounds;
}

export async function measureInRounds(
  { title, measureRound, watched, ...measuring }: Measuring,
  { random, isQuick, printProgress }: Pick<Stand, 'random' | 'isQuick' | 'printProgress'>,
): Promise<Readings> {
  const bounds = isQuick ? QUICK_BOUNDS : measuring.bounds;
  const startedAt = performance.now();
  const rounds: Round[] = [];
  for (;;) {
    rounds.push(await measureRound());
    const isOver =
      rounds.length >= bounds.roundsMax || performance.now() - startedAt > bounds.timeoutMs;
    printProgress(`${title}: round ${String(rounds.length)}`);
    if (!isOver && !isReadingDue(rounds.length, bounds)) continue;
    const readings = readingsOf(rounds, random);
    printProgress(`${title}: round ${String(rounds.length)}, control ±${controlWidth(readings)} %`);
    if (isOver || isSteady(readings, watched)) return readings;
  }
}

function isReadingDue(rounds: number, { roundsMin }: Bounds): boolean {
  return rounds >= roundsMin && (rounds - roundsMin) % ROUNDS_BETWEEN_READINGS === 0;
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

/**
 * Whether the interval is as narrow as that of a control, or so far from 1 that more rounds would
 * not change the result.
 */
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
 * Orders every side twice a lap, forth and back: ABBA for any number of sides. Each lap draws a new
 * order, so that no side always follows the same other side.
 */
export function thereAndBack<Side>(sides: readonly Side[], laps: number, random: Random): Side[] {
  const there = Array.from({ length: laps }, () => shuffled(sides, random));
  return there.flatMap((lap) => [...lap, ...lap.toReversed()]);
}
