// Checks the Python SDK as a partner gets it: builds and installs its wheel, checks its types, runs
// its tests, then pays with the program of its README, from create to a verified webhook.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_TYPESCRIPT } from '../../src/dev/tools';
import { ROOT } from '../support/programs/fixture-project';
import { run } from '../support/programs/packed-sdk';
import { demandFirstPayment, demandStop } from './payment-checks';
import { PYTHON_TESTS as TESTS, pythonWithPackages } from './python-packages';
import { readSnippets } from './snippets';
import { demand, type Workplace } from './workplace';

const README = join(ROOT, 'src', 'sdk', 'python', 'README.md');
const PROGRAM = 'first_payment.py';

export async function checkPythonSdk(place: Workplace): Promise<void> {
  const python = pythonWithPackages();
  const site = installWheel(place, python);
  const program = readSnippets(readFileSync(README, 'utf8')).find(({ file }) => file === PROGRAM);
  writeFileSync(join(place.folder, PROGRAM), program?.text ?? '');
  const settings = { PYTHONPATH: site, MYPYPATH: `${site}:${TESTS}`, PYTHONDONTWRITEBYTECODE: '1' };
  const runPython = (...args: readonly string[]) => place.run([python, ...args], { settings });

  const files = [join(site, 'payment_intents'), PROGRAM, ...testFiles()];
  const typed = await runPython('-m', 'mypy', '--strict', ...files);
  demand(typed.code === 0, 'mypy finds faults in the Python SDK or its programs', typed);

  const tested = await runPython('-W', 'error', '-m', 'unittest', 'discover', '-s', TESTS);
  const isGood = tested.code === 0 && /^Ran [1-9]\d+ tests/m.test(tested.stderr);
  demand(isGood, 'a test of the Python SDK fails', tested);

  demandFirstPayment(await runPython('-W', 'error', PROGRAM), PROGRAM);
  await demandStop(place, [python, '-W', 'error', PROGRAM], settings);
}

/** @returns the folder that holds the installed package, and nothing of this repository */
function installWheel(place: Workplace, python: string): string {
  const [built, site] = [join(place.folder, 'wheel'), join(place.folder, 'site')];
  const build = join('src', 'dev', 'package', 'build-sdk-python.ts');
  run(process.execPath, [...RUN_TYPESCRIPT, build, built], ROOT);
  mkdirSync(site);
  const wheels = readdirSync(built).map((name) => join(built, name));
  const install = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps'];
  run(python, [...install, '--target', site, ...wheels], place.folder);
  // Without this file in it, a partner's mypy ignores the types.
  readFileSync(join(site, 'payment_intents', 'py.typed'));
  return site;
}

function testFiles(): readonly string[] {
  const names = readdirSync(TESTS).filter((name) => name.endsWith('.py'));
  return names.map((name) => join(TESTS, name));
}
