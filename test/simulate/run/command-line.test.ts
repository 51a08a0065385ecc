// The command line of `npm run simulate`.
import { UsageError } from '../../bench/command-line';
import { readCommandLine } from './command-line';

test('defaults to 2 000 lives of seed 1', () => {
  expect(readCommandLine([])).toMatchObject({
    ...{ lives: 2_000, seed: 1, shard: { index: 1, count: 1 } },
    ...{ exhaustive: undefined, life: undefined, script: undefined },
  });
});

test('reads a shard, a script and the faults of an exhaustive run', () => {
  const args = ['--shard', '2/8', '--script', '{"the story":"it is cancelled"}'];
  expect(readCommandLine([...args, '--exhaustive', '2'])).toMatchObject({
    ...{ shard: { index: 2, count: 8 }, script: { 'the story': 'it is cancelled' }, exhaustive: 2 },
  });
});

test.each([
  [['--lives', '0'], '--lives takes a whole number'],
  [['--lives', 'many'], '--lives takes a whole number'],
  [['--shard', '3/2'], '--shard takes I/N'],
  [['--shard', '1/2/3'], '--shard takes I/N'],
  [['--exhaustive', '3'], '--exhaustive takes 1 or 2'],
  [['--script', '{'], '--script takes an object of choices'],
  [['--script', '{"the story":1}'], '--script takes an object of choices'],
  [['--faults', '1'], "Unknown option '--faults'"],
])('%j is a usage error that says what it takes', (args, message) => {
  const read = () => readCommandLine(args);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
});
