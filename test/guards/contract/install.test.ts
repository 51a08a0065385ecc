// `npm run test:contract` without a usable Python, npm, Maven or Go prints one message that says
// what to install.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { withFolder, writeScript } from '../../dev/setup/scripts';

const SCRIPT = join(__dirname, '../../contract/install.mjs');

/** Runs an installation with only these programs on the PATH. */
function installWith(programs: Readonly<Record<string, string>>, command = [SCRIPT]) {
  return withFolder((folder) => {
    for (const [name, line] of Object.entries(programs)) writeScript(join(folder, name), line);
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      env: { PATH: folder, PAYMENT_INTENTS_CACHE_DIR: join(folder, 'cache') },
      encoding: 'utf8',
    });
    return Promise.resolve({ status, stdout, stderr });
  });
}

it.each([
  ['no Python', {}, 'python3: python3 is not installed; python: python is not installed'],
  ['an old Python', { python3: 'echo 3.9' }, 'python3: 3.9; python: python is not installed'],
  ['a Python 2', { python: 'echo 2.11' }, 'python: 2.11'],
  [
    'a Python without venv',
    { python3: 'echo "ModuleNotFoundError: No module named venv" >&2; exit 1' },
    'No module named venv',
  ],
])('prints what it needs and what it found, with %s', async (_name, pythons, found) => {
  const { status, stdout, stderr } = await installWith(pythons);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('needs Python 3.10 or later with venv and pip: install it');
  expect(stderr).toContain(found);
});

it.each(['npm', 'mvn', 'go'])('names the missing %s and the packages', async (program) => {
  const kind = program === 'mvn' ? 'maven' : program;
  const script = join(__dirname, '../../contract/install-packages.mjs');
  const { status, stdout, stderr } = await installWith({}, [script, kind, 'a:b:1']);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`a:b:1 could not be installed by ${kind}: ${program} is not installed`);
});
