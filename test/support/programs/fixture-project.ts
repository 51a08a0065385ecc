// A small project in a temporary folder, on which a tool runs: tests show with it that a guard
// finds violations.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The root of this repository. */
export const ROOT = join(__dirname, '..', '..', '..');

/** For a tool that reads the whole project on a busy machine. */
export const TOOL_TIMEOUT_MS = 120_000;

interface FixtureProject {
  readonly folder: string;
  remove(): void;
}

/** @param files texts by path in the project */
export function createFixtureProject(files: Readonly<Record<string, string>>): FixtureProject {
  const folder = mkdtempSync(join(tmpdir(), 'guard-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface ToolRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a Node script, such as the command of an installed tool, to its end. */
export function runScript(
  script: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly input?: string } = {},
): ToolRun {
  const run = spawnSync(process.execPath, [script, ...args], {
    cwd: options.cwd ?? ROOT,
    input: options.input ?? '',
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    // Removes Jest's variables, so that a tool behaves as in local development.
    env: { ...process.env, NODE_ENV: undefined, FORCE_COLOR: '0', JEST_WORKER_ID: undefined },
  });
  return { exitCode: run.status, stdout: run.stdout, stderr: run.stderr };
}
