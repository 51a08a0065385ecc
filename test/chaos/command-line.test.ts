// `npm run chaos` (architecture, section 7): what is not understood is refused before anything is started.
import { UsageError } from '../bench/command-line';
import { readCommandLine } from './command-line';

describe('the command line', () => {
  it('runs a minute with seed 1 and all faults when nothing is said', () => {
    expect(readCommandLine([])).toEqual({
      ...{
        seconds: 60,
        seed: 1,
        jsonFile: undefined,
        detailsFile: undefined,
        only: [],
        isKept: false,
      },
      ...{ patienceSeconds: 90, perSecond: 4 },
    });
  });

  it('takes seconds, seed, file and faults', () => {
    const args = ['--seconds', '300', '--seed', '7', '--json', 'out.json'];
    expect(readCommandLine([...args, '--only', 'kill', '--only', 'cut'])).toMatchObject({
      ...{ seconds: 300, seed: 7, jsonFile: 'out.json', only: ['kill', 'cut'] },
    });
  });

  it.each([
    ['--seconds', '0'],
    ['--seconds', '1.5'],
    ['--seed', '-1'],
    ['--seed', 'two'],
    ['--rate', '1000'],
    ['--fast', '1'],
    ['60', '1'],
  ])('refuses %s %s', (...args) => {
    expect(() => readCommandLine(args)).toThrow(UsageError);
  });
});
