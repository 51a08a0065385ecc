// `npm run bench` (architecture, section 7): unknown names end with the list of those that are there.
import { readCommandLine, UsageError } from './command-line';

const KNOWN = ['refusal-timing', 'refused-requests'];
const read = (...args: readonly string[]) => readCommandLine(args, KNOWN);

describe('the command line', () => {
  it('runs all benches when none is named', () => {
    expect(read()).toMatchObject({
      names: KNOWN,
      isQuick: false,
      jsonFile: undefined,
      plotFile: undefined,
    });
  });

  it('runs those that are named', () => {
    expect(
      read('refused-requests', '--json', 'out.json', '--plot', 'out.svg', '--quick'),
    ).toMatchObject({
      names: ['refused-requests'],
      jsonFile: 'out.json',
      plotFile: 'out.svg',
      isQuick: true,
    });
  });

  it('refuses an unknown name and lists the known ones', () => {
    expect(() => read('create')).toThrow(UsageError);
    expect(() => read('create')).toThrow(/create.*refusal-timing, refused-requests/);
  });

  it.each([['--fast'], ['--json'], ['--plot'], ['--seed', 'two']])('refuses %s', (...args) => {
    expect(() => read(...args)).toThrow(UsageError);
  });
});
