// Every test file belongs to exactly one of Jest's projects, so that none is left out.
import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { ROOT, runScript } from '../support/programs/fixture-project';

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

describe('the projects of jest.config.cjs', () => {
  it('list every test file exactly once', () => {
    const { stdout } = runScript(join(ROOT, 'node_modules/jest/bin/jest.js'), ['--listTests']);
    const listed = lines(stdout).map((path) => relative(ROOT, path));
    const present = execFileSync(
      'git',
      ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect(listed.sort()).toEqual(lines(present).sort());
  });
});
