// Installs the tools of this test: packages of a registry with exact versions, in the cache.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../src/config/config';
import { runProgram } from '../guide/run-program';

export interface Packages {
  readonly kind: 'npm' | 'maven' | 'go' | 'pip';
  readonly packages: readonly string[];
}

const INSTALL_MAX_MS = 10 * 60_000;

/** By their packages, so that several clients share one installation. */
const installations = new Map<string, Promise<string>>();

/** @returns the folder of the packages, or of `pip` the interpreter. @throws Error: why not */
export function installed(wanted: Packages): Promise<string> {
  const key = [wanted.kind, ...wanted.packages].join(' ');
  const installation = installations.get(key) ?? install(wanted);
  installations.set(key, installation);
  return installation;
}

async function install({ kind, packages }: Packages): Promise<string> {
  if (kind !== 'pip') return runInstaller(['install-packages.mjs', kind, ...packages]);
  const folder = mkdtempSync(join(tmpdir(), 'requirements-'));
  try {
    const file = join(folder, 'requirements.txt');
    writeFileSync(file, `${packages.join('\n')}\n`);
    return await runInstaller(['install.mjs', file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runInstaller([script = '', ...args]: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(
    [process.execPath, join(__dirname, script), ...args],
    { cwd: __dirname, env: processEnvironment(), timeoutMs: INSTALL_MAX_MS },
  );
  if (code !== 0) throw new Error(stderr.trim());
  return stdout.trim();
}
