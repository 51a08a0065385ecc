// Redocly and Spectral read the contract with their recommended rules. A warning fails.
import { join } from 'node:path';
import { processEnvironment } from '../../../src/config/config';
import { runProgram } from '../../guide/run-program';
import { CONTRACT_FILE } from '../../support/contract/contract-document';
import { ROOT } from '../../support/programs/fixture-project';
import { installed } from '../packages';

interface Linter {
  readonly title: string;
  readonly package: string;
  /** After the program in `node_modules/.bin`. */
  readonly command: readonly string[];
}

const LINTERS: readonly Linter[] = [
  {
    title: 'Redocly',
    package: '@redocly/cli@2.77.0',
    command: ['redocly', 'lint', '--config', join(__dirname, 'redocly.yaml'), CONTRACT_FILE],
  },
  {
    title: 'Spectral',
    package: '@stoplight/spectral-cli@6.16.3',
    command: [
      ...['spectral', 'lint', '--fail-severity', 'hint', CONTRACT_FILE],
      ...['--ruleset', join(__dirname, 'spectral.yaml')],
    ],
  },
];

/** @returns what each linter printed that finds something; empty for a clean contract */
export async function lintContract(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { title, package: name, command } of LINTERS) {
    const folder = await installed({ kind: 'npm', packages: [name] });
    const [program = '', ...args] = command;
    // Redocly reports its use to its makers unless this is off.
    const env = { ...processEnvironment(), REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' };
    const linted = await runProgram([join(folder, 'node_modules', '.bin', program), ...args], {
      cwd: ROOT,
      env,
    });
    if (linted.code !== 0) found.push(`${title}:\n${linted.stdout}\n${linted.stderr}`.trim());
  }
  return found;
}
