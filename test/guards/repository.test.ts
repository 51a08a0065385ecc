// The repository has the agreed top level and contains no registry host or path of a machine.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/programs/fixture-project';

const TOP_LEVEL = [
  ...['src', 'workflows', 'activities', 'api', 'test', 'docs', 'deploy', '.ci', '.github'],
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'],
  ...['docker-compose.yml', 'Dockerfile', '.dockerignore'],
  ...['eslint.config.mjs', '.dependency-cruiser.cjs', 'jest.config.cjs', '.prettierignore'],
  ...['.gitignore', '.npmrc', 'renovate.json'],
];

// Joined from parts, so that this file does not contain the names itself.
const HOSTS = [
  ['registry', 'npmjs', 'org'],
  ['registry', 'yarnpkg', 'com'],
  ['pypi', 'org'],
  ['files', 'pythonhosted', 'org'],
  ['proxy', 'golang', 'org'],
  ['sum', 'golang', 'org'],
  ['static', 'crates', 'io'],
  ['deb', 'debian', 'org'],
].map((labels) => labels.join('.'));
const MACHINE_PATH = new RegExp(`(^|[^\\w.@/-])/(${['work', 'root', 'home', 'Users'].join('|')})/`);

/** Tracked files and new files that are not ignored. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

function namesMachine(line: string): boolean {
  return MACHINE_PATH.test(line) || HOSTS.some((host) => line.includes(host));
}

describe('the repository', () => {
  it('has exactly the agreed top level', () => {
    const entries = [...new Set(files.map((path) => path.split('/')[0] ?? path))];
    expect(entries.sort()).toEqual([...TOP_LEVEL].sort());
  });

  it('contains no registry host and no path of a machine', () => {
    const offenders = files.flatMap((path) =>
      textOf(path)
        .split('\n')
        .filter(namesMachine)
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(offenders).toEqual([]);
  });

  it.each(HOSTS)('reports a file that contains %s', (host) => {
    expect(namesMachine(`see https://${host}/koa`)).toBe(true);
  });

  it.each(['work', 'root', 'home'])('reports a path in a %s folder', (folder) => {
    expect(namesMachine(`cd /${folder}/main`)).toBe(true);
  });

  it('has a lock file without the hosts of packages', () => {
    expect(textOf('package-lock.json')).not.toContain('"resolved"');
  });

  it('pins every package to one version', () => {
    const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('has a README of fewer than 120 lines', () => {
    expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThan(120);
  });
});
