// When a measurement ends, and what then passes.
import { createRandom, type Random } from './random';
import { atLeast, noSlowerThan, sameAs, type Result } from './report';
import {
  CONTROL,
  isControlled,
  measureInRounds,
  REFERENCE,
  type Reading,
  type Readings,
} from './rounds';

const BOUNDS = { roundsMin: 15, roundsMax: 60, timeoutMs: 60_000 };

/** Sides by their true value, each measured with noise of that share. */
function measure(sides: Readonly<Record<string, number>>, noise: number): Promise<Readings> {
  const random = createRandom(3);
  const noisy = (value: number, { draw }: { readonly draw: Random }) =>
    value * (1 + (draw() - 0.5) * 2 * noise);
  const truth = Object.entries({ [REFERENCE]: 100, [CONTROL]: 100, ...sides });
  return measureInRounds({
    measureRound: () =>
      Promise.resolve(
        new Map(truth.map(([side, value]) => [side, noisy(value, { draw: random })])),
      ),
    watched: Object.keys(sides),
    bounds: BOUNDS,
    random,
    tell: () => undefined,
  });
}

function judge({ bySide }: Readings, side: string, how: typeof judgeSame): Result {
  const reading = bySide.get(side);
  if (reading === undefined) throw new Error(`no side ${side}`);
  return how(reading, isControlled(bySide));
}

const judgeSame = (reading: Reading, isSure: boolean) =>
  sameAs('a cause', reading, { margin: 0.03, isControlled: isSure });
const judgeShare = (reading: Reading, isSure: boolean) =>
  atLeast('a side', reading, { target: 0.6, isControlled: isSure });
const judgeTime = (reading: Reading, isSure: boolean) =>
  noSlowerThan('a time', reading, { factor: 1.1, isControlled: isSure });

describe('measuring in rounds', () => {
  it('ends after the fewest rounds when the control is narrow', async () => {
    expect((await measure({ ours: 62 }, 0.001)).rounds).toBe(BOUNDS.roundsMin);
  });

  it('adds rounds while the control is wide', async () => {
    const { rounds, bySide } = await measure({ ours: 62 }, 0.08);
    expect(rounds).toBeGreaterThan(BOUNDS.roundsMin);
    expect(isControlled(bySide)).toBe(true);
  });

  it('has an end, and then nothing passes', async () => {
    const readings = await measure({ ours: 62 }, 0.9);
    expect(readings.rounds).toBe(BOUNDS.roundsMax);
    expect(judge(readings, 'ours', judgeShare).pass).toBe(false);
    expect(judge(readings, CONTROL, judgeSame).pass).toBe(false);
  });

  it.each([
    ['passes', 62, true],
    ['misses', 58, false],
  ])('%s a share of 0.6 that is %d of 100', async (_word, value, pass) => {
    expect(judge(await measure({ ours: value }, 0.01), 'ours', judgeShare).pass).toBe(pass);
  });

  it.each([
    ['passes', 104, true],
    ['misses', 118, false],
  ])('%s a time of at most 1.1 times 100 that is %d', async (_word, value, pass) => {
    const result = judge(await measure({ ours: value }, 0.01), 'ours', judgeTime);
    expect(result.pass).toBe(pass);
    expect(result.ratio).toBeCloseTo(100 / value, 1);
  });

  it('judges a target at the bad end of the interval', () => {
    const reading = { ratio: 0.61, low: 0.59, high: 0.63, rounds: 15, ours: 61, reference: 100 };
    expect(judgeShare(reading, true).pass).toBe(false);
    expect(judgeShare({ ...reading, low: 0.6 }, true).pass).toBe(true);
    const time = { ratio: 1.05, low: 1.01, high: 1.2, rounds: 15, ours: 105, reference: 100 };
    expect(judgeTime(time, true).pass).toBe(false);
  });

  it.each([
    ['takes 101 and 100 for the same', 101, true],
    ['tells 108 from 100', 108, false],
    ['tells 92 from 100', 92, false],
  ])('%s', async (_title, value, pass) => {
    expect(judge(await measure({ ours: value }, 0.02), 'ours', judgeSame).pass).toBe(pass);
  });
});
