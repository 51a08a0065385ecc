// When a measurement ends, in which order it measures the sides, and which results pass.
import { createRandom, type Random } from '../load/random';
import { atLeast, noSlowerThan, sameAs, type Evaluator } from './report';
import {
  CONTROL,
  isControlled,
  measureInRounds,
  REFERENCE,
  thereAndBack,
  type Readings,
} from './rounds';

const BOUNDS = { roundsMin: 15, roundsMax: 60, timeoutMs: 60_000 };

/** @param sides their true values @param noise the relative noise of each measurement */
function measure(sides: Readonly<Record<string, number>>, noise: number): Promise<Readings> {
  const random = createRandom(3);
  const noisy = (value: number, draw: Random) => value * (1 + (draw() - 0.5) * 2 * noise);
  const truth = Object.entries({ [REFERENCE]: 100, [CONTROL]: 100, ...sides });
  const measureRound = () =>
    Promise.resolve(new Map(truth.map(([side, value]) => [side, noisy(value, random)])));
  return measureInRounds(
    { title: 'a measurement', measureRound, watched: Object.keys(sides), bounds: BOUNDS },
    { random, isQuick: false, printProgress: () => undefined },
  );
}

function evaluate(readings: Readings, side: string, how: Evaluator) {
  const reading = readings.get(side);
  if (reading === undefined) throw new Error(`no side ${side}`);
  return how(side, reading, isControlled(readings));
}

const [evaluateSame, evaluateShare, evaluateTime] = [sameAs(0.03), atLeast(0.6), noSlowerThan(1.1)];

describe('measuring in rounds', () => {
  it('measures every side twice, forth and back', () => {
    const order = thereAndBack(['reference', 'ours', 'control'], 1, createRandom(1));
    expect(order).toEqual(order.toReversed());
    expect(order.slice(0, 3).toSorted()).toEqual(['control', 'ours', 'reference']);
  });

  it.each([
    ['ends after the fewest rounds when the control is narrow', 0.001, [15, 15], true],
    ['adds rounds while the control is wide', 0.08, [20, 60], true],
    ['stops at the most rounds, and then no figure passes', 0.9, [60, 60], false],
  ] as const)('%s', async (_title, noise, [least, most], isSure) => {
    const readings = await measure({ ours: 62 }, noise);
    const rounds = readings.get(CONTROL)?.rounds;
    expect(rounds).toBeGreaterThanOrEqual(least);
    expect(rounds).toBeLessThanOrEqual(most);
    expect(isControlled(readings)).toBe(isSure);
    expect(evaluate(readings, 'ours', evaluateShare).pass).toBe(isSure);
  });

  it.each([
    ['passes', 62, true],
    ['misses', 58, false],
  ])('%s a share of 0.6 that is %d of 100', async (_word, value, pass) => {
    expect(evaluate(await measure({ ours: value }, 0.01), 'ours', evaluateShare).pass).toBe(pass);
  });

  it.each([
    ['passes', 104, true],
    ['misses', 118, false],
  ])('%s a time of at most 1.1 times 100 that is %d', async (_word, value, pass) => {
    const result = evaluate(await measure({ ours: value }, 0.01), 'ours', evaluateTime);
    expect(result.pass).toBe(pass);
    expect(result.ratio).toBeCloseTo(100 / value, 1);
  });

  it('compares a target with the worse end of the interval', () => {
    const reading = { ratio: 0.61, low: 0.59, high: 0.63, rounds: 15, ours: 61, reference: 100 };
    expect(evaluateShare('', reading, true).pass).toBe(false);
    expect(evaluateShare('', { ...reading, low: 0.6 }, true).pass).toBe(true);
    const time = { ratio: 1.05, low: 1.01, high: 1.2, rounds: 15, ours: 105, reference: 100 };
    expect(evaluateTime('', time, true).pass).toBe(false);
  });

  it.each([
    ['accepts 101 as the same as 100', 101, true],
    ['distinguishes 108 from 100', 108, false],
    ['distinguishes 92 from 100', 92, false],
  ])('%s', async (_title, value, pass) => {
    expect(evaluate(await measure({ ours: value }, 0.02), 'ours', evaluateSame).pass).toBe(pass);
  });
});
