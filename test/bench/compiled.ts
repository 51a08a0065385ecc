// Compiles the sources for the processes of a bench, with the settings of `npm run build`. Run by
// tsx, the sources would name each function again whenever it is created, which production does not
// pay for.
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../src/dev/stack/start-error';
import { ROOT } from '../../src/dev/tools';

const CONFIG = 'test/bench/tsconfig.compiled.json';
/** The same as in that file. It lies inside the clone, so that `require` finds node_modules. */
const OUTPUT = 'node_modules/.cache/payment-intents-bench';
/** API and worker compare the baseline of the schema with their own (src/postgres/baseline.ts). */
const MIGRATIONS = 'src/postgres/migrations';
const COMPILE_TIMEOUT_MS = 120_000;

let compiling: Promise<void> | undefined;

/** Compiles at most once per process. @throws StartError with the compiler's output */
export function compileOnce(): Promise<void> {
  return (compiling ??= compile());
}

/** @param source relative to the clone. @returns a path relative to the clone */
export function compiledFrom(source: string): string {
  return join(OUTPUT, source.replace(/\.ts$/, '.js'));
}

async function compile(): Promise<void> {
  const args = [require.resolve('typescript/bin/tsc'), '-p', join(ROOT, CONFIG)];
  try {
    await promisify(execFile)(process.execPath, args, { timeout: COMPILE_TIMEOUT_MS });
  } catch (error) {
    const { stdout = '', message } = error as Error & { readonly stdout?: string };
    throw new StartError(`The sources do not compile: ${stdout === '' ? message : stdout}`);
  }
  cpSync(join(ROOT, MIGRATIONS), join(ROOT, OUTPUT, MIGRATIONS), { recursive: true });
}
