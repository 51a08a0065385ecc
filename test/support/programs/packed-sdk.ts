// The SDK as partners get it: built, packed, and installed into a folder outside this repository.
// Works without network: its dependencies are packed from node_modules.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_TYPESCRIPT } from '../../../src/dev/tools';
import { ROOT } from './fixture-project';

export const SDK_NAME = '@payment-intents/sdk';

export interface InstalledSdk {
  /** The project with the installed SDK in its node_modules. */
  readonly project: string;
  /** The file of `npm pack`. */
  readonly tarball: string;
}

/** @param folder is created here, for all files */
export function installPackedSdk(folder: string): InstalledSdk {
  const [packed, project] = [join(folder, 'packed'), join(folder, 'project')];
  mkdirSync(packed, { recursive: true });
  mkdirSync(project);
  const build = [...RUN_TYPESCRIPT, 'src/dev/package/build-sdk.ts'];
  run(process.execPath, [...build, join(packed, 'sdk')], ROOT);
  const dependencies = ['jose', 'jsonc-parser'].map((name) => join(ROOT, 'node_modules', name));
  npm(['pack', ...dependencies, '--pack-destination', packed], folder);
  const names = readdirSync(packed).filter((name) => name.endsWith('.tgz'));
  const tarballs = names.map((name) => join(packed, name));
  writeFileSync(join(project, 'package.json'), '{ "name": "fresh", "private": true }\n');
  npm(['install', '--offline', ...tarballs], project);
  const tarball = tarballs.find((path) => path.includes('payment-intents-sdk')) ?? '';
  if (!existsSync(tarball)) throw new Error(`the SDK was not packed: ${tarballs.join(', ')}`);
  return { project, tarball };
}

function npm(args: readonly string[], cwd: string): void {
  run('npm', [...args, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'], cwd);
}

/** Runs a program to its end. @throws Error with its output when it failed */
export function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  const printed = [error?.message, stdout, stderr].join('\n');
  throw new Error(`${program} ${args.join(' ')} exited with ${String(status)}:\n${printed}`);
}
