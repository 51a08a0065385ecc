// One run of Jest over some tests of the workshop, and what became of each of them.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/dev/tools';

export interface TestRun {
  readonly tests: readonly RunTest[];
  /** Why a test file could not even be run; null when all could. */
  readonly broken: string | null;
}

interface RunTest {
  readonly fullName: string;
  readonly status: string;
  /** How it failed, if it did. */
  readonly failureMessages: readonly string[];
}

export interface TestRunOptions {
  readonly folder: string;
  readonly jestConfig: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

interface JestReport {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly RunTest[];
  }[];
}

const running = new Set<ChildProcess>();

/** What was started is ended, with all that it has started. */
export function endTestRuns(): void {
  for (const child of running) endGroup(child);
}

/** @param names only tests whose full name contains one of these are run */
export async function runTests(
  { folder, jestConfig, environment, timeoutMs }: TestRunOptions,
  files: readonly string[],
  names: readonly string[],
): Promise<TestRun> {
  const report = join(folder, 'jest-report.json');
  rmSync(report, { force: true });
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      ...['--config', jestConfig, '--runInBand', '--ci', '--forceExit'],
      ...['--json', '--outputFile', report],
      ...['--testNamePattern', names.map(escaped).join('|')],
      ...['--runTestsByPath', ...files],
    ],
    { cwd: folder, env: { ...environment }, stdio: 'ignore', detached: true },
  );
  running.add(child);
  const tooLong = AbortSignal.timeout(timeoutMs);
  tooLong.addEventListener('abort', () => endGroup(child));
  await once(child, 'exit');
  endGroup(child);
  running.delete(child);
  return readReport(report, tooLong.aborted);
}

function readReport(report: string, wasTooLong: boolean): TestRun {
  if (wasTooLong) return { tests: [], broken: 'it took too long' };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JestReport;
  const tests = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed');
  const broken = testResults.find(({ assertionResults }) => assertionResults.length === 0);
  return { tests, broken: broken?.message ?? null };
}

/** Also what a test has left behind, such as a Temporal server. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // They have all ended by themselves.
  }
}

function escaped(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
