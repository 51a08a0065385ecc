// The picture of a run: where a figure stands depends on its share of the target alone.
import { plotOf } from './plot';
import type { Result } from './report';

const aResult = (overrides: Partial<Result> = {}): Result => ({
  name: 'create: ours',
  ratio: 0.6,
  low: 0.55,
  high: 0.65,
  target: 0.6,
  pass: true,
  ours: 600,
  reference: 1_000,
  rounds: 15,
  ...overrides,
});
const circleAt = (svg: string) => /<circle cx="([\d.]+)"/.exec(svg)?.[1];
const targetAt = (svg: string) => /class="target" x1="([\d.]+)"/.exec(svg)?.[1];

describe('plotOf', () => {
  it('puts a figure that meets its target exactly on the line of all targets', () => {
    const svg = plotOf([aResult()], '');
    expect(circleAt(svg)).toBe(targetAt(svg));
  });

  it('puts one that misses it to the left', () => {
    const svg = plotOf([aResult({ ratio: 0.3 })], '');
    expect(Number(circleAt(svg))).toBeLessThan(Number(targetAt(svg)));
  });

  it.each([
    ['far below', 0.0001],
    ['far above', 10_000],
  ])('keeps what lies %s within the picture', (_word, ratio) => {
    const at = Number(circleAt(plotOf([aResult({ ratio })], '')));
    expect(at).toBeGreaterThanOrEqual(470);
    expect(at).toBeLessThanOrEqual(890);
  });

  it('writes names as text, whatever they hold', () => {
    expect(plotOf([aResult({ name: 'a < b & c' })], '<machine>')).toMatch(
      /a &lt; b &amp; c.*&lt;machine&gt;/s,
    );
  });
});
