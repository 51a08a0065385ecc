// Which blocks of a round are counted, with a load process that answers at once.
import { eachMadeBy, lanesOf, runLaps, type Side } from './comparison';
import type { BlockResult } from '../load/load-client';
import { createRandom } from '../load/random';

/** Runs one lap of two sides, on ports 1 and 2, and records the calls. */
async function runLap(answered: Partial<BlockResult> = {}, isEven = false) {
  const happened: string[] = [];
  const load = {
    run: ({ port }: { readonly port: number }) => {
      happened.push(`block ${port}`);
      const latenciesUs = new Float64Array(2);
      const fine = {
        elapsedMs: 10,
        latenciesUs,
        statuses: ['200'],
        body: '',
        unexpected: undefined,
      };
      return Promise.resolve({ ...fine, ...answered });
    },
    close: () => undefined,
  };
  const side = (port: number): Side => ({
    port,
    prepare: (count) => {
      happened.push('prepared');
      return eachMadeBy(() => Buffer.from(''))(count);
    },
    settle: () => Promise.resolve(void happened.push(`settled ${port}`)),
  });
  const comparison = {
    ...{ title: 'a comparison', nameOf: (name: string) => name, isEven, inFlight: 2 },
    ...{ reference: side(1), ours: side(2), answer: { status: '200', contains: '' } },
  };
  const lanes = await lanesOf(comparison, () => Promise.resolve(2));
  const stand = { world: { load, cpuTimes: () => new Map() }, random: createRandom(1) };
  const results = await runLaps({ comparison, lanes, laps: 1 }, stand);
  return { happened, counted: [...results].map(([name, { length }]) => [name, length]) };
}

const COUNTED = [
  ['reference', 2],
  ['ours', 2],
  ['control', 2],
];

it('counts each side twice, and the reference as the control too', async () => {
  expect((await runLap()).counted).toEqual(COUNTED);
});

it('sends ours as many blocks as reference and control together where `isEven` is set, and does not count the extra ones', async () => {
  const { happened, counted } = await runLap({}, true);
  const sent = (port: number) => happened.filter((what) => what === `block ${port}`).length;
  expect([sent(1), sent(2)]).toEqual([4, 4]);
  expect(counted).toEqual(COUNTED);
});

it('prepares every request before the first is sent, and lets each block settle before the next', async () => {
  const { happened } = await runLap();
  expect(happened.slice(0, 6)).toEqual(Array<string>(6).fill('prepared'));
  const ports = happened.slice(6).filter((what) => what.startsWith('block'));
  expect(happened.slice(6)).toEqual(
    ports.flatMap((block) => [block, block.replace('block', 'settled')]),
  );
});

it.each([
  ['another status', { statuses: ['200', '503'] }],
  ['another body', { unexpected: '200 other' }],
])('fails on an answer with %s', async (_what, answered) => {
  await expect(runLap(answered)).rejects.toThrow('unexpected answer');
});
