// Measuring in rounds. Each round measures every side once, in an order that treats them alike, and rounds are added until
// the control is narrow enough: the reference against itself, which shows what this machine can tell apart today.
import type { Random } from './random';
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

export interface Reading extends Interval {
  readonly rounds: number;
  /** Medians over the rounds. */
  readonly ours: number;
  readonly reference: number;
}

export interface Readings {
  readonly rounds: number;
  readonly bySide: ReadonlyMap<string, Reading>;
}

interface Measuring {
  readonly measureRound: () => Promise<Round>;
  /** Sides that are to be the same as the reference: their intervals become as narrow as the control's, or clear of it. */
  readonly watched: readonly string[];
  readonly bounds: Bounds;
  readonly random: Random;
  readonly tell: (readings: Readings) => void;
}

export async function measureInRounds(measuring: Measuring): Promise<Readings> {
  const { measureRound, watched, bounds, random, tell } = measuring;
  const startedAt = performance.now();
  const rounds: Round[] = [];
  for (;;) {
    rounds.push(await measureRound());
    const isOver =
      rounds.length >= bounds.roundsMax || performance.now() - startedAt > bounds.timeoutMs;
    const isLook = (rounds.length - bounds.roundsMin) % ROUNDS_BETWEEN_LOOKS === 0;
    if (!isOver && (rounds.length < bounds.roundsMin || !isLook)) continue;
    const readings = { rounds: rounds.length, bySide: readingsOf(rounds, random) };
    tell(readings);
    if (isOver || isSteady(readings, watched)) return readings;
  }
}

function isSteady({ bySide }: Readings, watched: readonly string[]): boolean {
  return isControlled(bySide) && watched.every((side) => isDecided(bySide.get(side)));
}

export function isControlled(bySide: ReadonlyMap<string, Reading>): boolean {
  const control = bySide.get(CONTROL);
  return control !== undefined && isNarrow(control) && distanceFromOne(control) === 0;
}

/** For a line of progress. */
export function progressOf({ rounds, bySide }: Readings): string {
  const control = bySide.get(CONTROL);
  const width = control === undefined ? Number.NaN : halfWidth(control) * 100;
  return `round ${String(rounds)}, control ±${width.toFixed(1)} %`;
}

/** Further from 1 than any control may be: more rounds would not bring it back. */
function isDecided(interval: Interval | undefined): boolean {
  const isClear = interval !== undefined && distanceFromOne(interval) > CONTROL_HALF_WIDTH_MAX;
  return isClear || isNarrow(interval);
}

export function isNarrow(interval: Interval | undefined): boolean {
  return interval !== undefined && halfWidth(interval) <= CONTROL_HALF_WIDTH_MAX;
}

export function readingsOf(rounds: readonly Round[], random: Random): ReadonlyMap<string, Reading> {
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
