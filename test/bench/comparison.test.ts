// The order of blocks and what is counted of them, with a load process that answers at once.
import {
  eachMadeBy,
  lanesOf,
  runLaps,
  type Comparison,
  type Sending,
  type Side,
} from './comparison';
import type { BlockResult } from './load-client';
import { createRandom } from './random';

const REQUEST = Buffer.from('');
const result = (overrides: Partial<BlockResult> = {}): BlockResult => ({
  elapsedMs: 10,
  latenciesUs: new Float64Array(2),
  statuses: ['200'],
  body: 'fine',
  unlike: undefined,
  ...overrides,
});

interface Scene {
  readonly happened: string[];
  readonly stand: Sending;
  readonly comparison: Comparison;
}

/** What happens is written down: blocks by their port, and what is waited for. */
function aScene(answered: Partial<BlockResult> = {}): Scene {
  const happened: string[] = [];
  const load = {
    run: ({ port }: { readonly port: number }) => {
      happened.push(`block ${port}`);
      return Promise.resolve(result(answered));
    },
    close: () => undefined,
  };
  const side = (port: number): Side => ({
    port,
    prepare: (count) => {
      happened.push('prepared');
      return eachMadeBy(() => REQUEST)(count);
    },
    settle: () => Promise.resolve(void happened.push(`settled ${port}`)),
  });
  const comparison = {
    title: 'a comparison',
    reference: side(1),
    ours: { ours: side(2) },
    inFlight: 2,
    answer: { status: '200', holding: 'fine' },
  };
  return {
    happened,
    stand: { world: { load, cpuTimes: () => new Map() }, random: createRandom(1) },
    comparison,
  };
}

async function run({ comparison, stand }: Scene, laps = 1) {
  const lanes = await lanesOf(comparison, () => Promise.resolve(2));
  return runLaps({ comparison, lanes, laps }, stand);
}

describe('a round', () => {
  it('measures each side twice, there and back, and the reference once more as the control', async () => {
    const scene = aScene();
    const results = await run(scene);
    const blocks = scene.happened.filter((what) => what.startsWith('block'));
    expect(blocks).toEqual(blocks.toReversed());
    expect([...results.keys()]).toEqual(['reference', 'ours', 'control']);
    expect([...results.values()].map((blocksOfSide) => blocksOfSide.length)).toEqual([2, 2, 2]);
  });

  it('sends ours as much as reference and control together where that is wished, and does not count it', async () => {
    const scene = aScene();
    const results = await run({ ...scene, comparison: { ...scene.comparison, isEven: true } });
    const sent = (port: number) => scene.happened.filter((what) => what === `block ${port}`).length;
    expect([sent(1), sent(2)]).toEqual([4, 4]);
    expect([...results].map(([name, { length }]) => [name, length])).toEqual([
      ['reference', 2],
      ['ours', 2],
      ['control', 2],
    ]);
  });

  it('prepares every request before the first is sent', async () => {
    const scene = aScene();
    await run(scene, 2);
    expect(scene.happened.lastIndexOf('prepared')).toBeLessThan(
      scene.happened.findIndex((what) => what.startsWith('block')),
    );
  });

  it('lets each block settle before the next begins', async () => {
    const scene = aScene();
    await run(scene);
    const [, ...after] = scene.happened.filter((what) => what !== 'prepared');
    expect(after.filter((_, index) => index % 2 === 0).every((w) => w.startsWith('settled'))).toBe(
      true,
    );
  });

  it.each([
    ['another status', { statuses: ['200', '503'] }],
    ['another body', { unlike: '200 other' }],
  ])('fails on an answer with %s', async (_what, answered) => {
    await expect(run(aScene(answered))).rejects.toThrow('not what is measured');
  });
});
