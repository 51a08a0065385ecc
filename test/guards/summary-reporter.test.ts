// The last line of `npm test`, shown by real runs of Jest on small projects.
import { join } from 'node:path';
import {
  createFixtureProject,
  ROOT,
  runScript,
  type ToolRun,
} from '../support/programs/fixture-project';

function runJest(tests: Readonly<Record<string, string>>): ToolRun {
  const project = createFixtureProject({
    'package.json': JSON.stringify({
      name: 'fixture',
      jest: {
        transform: {},
        reporters: ['default', join(ROOT, 'test/support/jest/summary-reporter.cjs')],
      },
    }),
    'teardown.js': "module.exports = async () => console.log('servers stopped');\n",
    ...tests,
  });
  try {
    return runScript(
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      ['--runInBand', '--globalTeardown', './teardown.js'],
      { cwd: project.folder },
    );
  } finally {
    project.remove();
  }
}

const closingLine = (run: ToolRun) => run.stdout.trimEnd().split('\n').at(-1);

const PASSING = "test('a', () => {}); test('b', () => {});\n";

describe('the summary reporter', () => {
  it('prints the number of passed tests after all other output', () => {
    const run = runJest({ 'a.test.js': PASSING });
    expect(run.stdout).toContain('servers stopped');
    expect(closingLine(run)).toBe('2 passed, 0 failed');
  });

  it('counts failed and skipped tests, and a suite that could not run as one failed', () => {
    const run = runJest({
      'a.test.js': PASSING,
      'b.test.js': "test('c', () => { throw new Error('no'); }); test.skip('d', () => {});\n",
      'c.test.js': "require('./nowhere');\n",
    });
    expect(closingLine(run)).toBe('2 passed, 2 failed, 1 skipped');
    expect(run.exitCode).toBe(1);
  });
});
