// Runs Jest on a mutated copy and checks that the test named for the mutation fails.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../src/config/config';
import { ROOT } from '../../src/dev/tools';
import type { Mutation, Verdict } from './mutation';
import type { Workshop } from './workshop';

/** The tests of one mutation take seconds. This bounds a mutation that makes them hang. */
const MUTATION_TIMEOUT_MS = 90_000;
const GREEN_TIMEOUT_MS = 240_000;

interface GreenOptions {
  readonly workshop: Workshop;
  readonly environment: Environment;
  readonly onRepeat: (failures: string) => void;
}

interface RunTest {
  readonly fullName: string;
  readonly status: string;
  /** Empty when it passed. */
  readonly failureMessages: readonly string[];
}

interface JestReport {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly RunTest[];
  }[];
}

interface TestRun {
  readonly tests: readonly RunTest[];
  /** Why a test file could not run, or null when all files ran. */
  readonly broken: string | null;
}

/**
 * Requires that every named test exists and passes without a mutation: otherwise it would seem to
 * detect every mutation. A test that fails while others run beside it runs once more with its file
 * alone, as it does for its mutation, and must then pass. `onRepeat` gets the first failure.
 */
export async function requireGreen(
  mutations: readonly Mutation[],
  { workshop, environment, onRepeat }: GreenOptions,
): Promise<void> {
  const names = mutations.map(({ mustFail }) => mustFail);
  const options = { workshop, environment, timeoutMs: GREEN_TIMEOUT_MS, workers: 4 };
  const files = [...new Set(mutations.flatMap(({ tests }) => tests))];
  const first = await runTests(options, files, names);
  if (first.broken !== null) throw new Error(`Tests do not run unmutated: ${first.broken}`);
  const missing = names.filter((name) => !first.tests.some(isNamed(name)));
  if (missing.length > 0) throw new Error(`There are no tests "${missing.join('", "')}".`);
  const red = first.tests.filter(hasFailed);
  if (red.length === 0) return;
  onRepeat(howTheyFailed(red));
  const again = mutations.filter(({ mustFail }) => red.some(isNamed(mustFail)));
  const suspects = [...new Set(again.flatMap(({ tests }) => tests))];
  const second = await runTests({ ...options, workers: 1 }, suspects, names);
  const passed = second.tests.filter(({ status }) => status === 'passed');
  const stillRed = red.filter(({ fullName }) => !passed.some(isNamed(fullName)));
  if (second.broken === null && stillRed.length === 0 && !second.tests.some(hasFailed)) return;
  const why = second.broken ?? howTheyFailed([...stillRed, ...second.tests.filter(hasFailed)]);
  throw new Error(`These tests fail without a mutation:\n${why}`);
}

const hasFailed = ({ status }: RunTest) => status === 'failed';
const isNamed =
  (name: string) =>
  ({ fullName }: RunTest) =>
    fullName.includes(name);

function howTheyFailed(tests: readonly RunTest[]): string {
  return tests
    .map(({ fullName, failureMessages }) => [`failed: ${fullName}`, ...failureMessages].join('\n'))
    .join('\n');
}

export async function tryByTests(
  { tests, mustFail }: Mutation,
  workshop: Workshop,
  given: Environment,
): Promise<Verdict> {
  const environment = { ...given, TEST_MUTATED_SQL: workshop.mutatedSql() };
  const options = { workshop, environment, timeoutMs: MUTATION_TIMEOUT_MS, workers: 1 };
  const attempt = () => runTests(options, tests, [mustFail]);
  const first = await attempt();
  // A run that broke says nothing about the mutation.
  const run = first.broken === null ? first : await attempt();
  if (run.broken !== null) return { verdict: 'broken', detail: run.broken };
  const failed = run.tests.filter(hasFailed);
  const named = failed.find(isNamed(mustFail));
  if (named !== undefined) return { verdict: 'caught', detail: named.failureMessages.join('\n') };
  if (failed.length === 0) return { verdict: 'survived', detail: `not failed: ${mustFail}` };
  const instead = failed.map(({ fullName }) => fullName).join('; ');
  return { verdict: 'caught by another', detail: `failed instead: ${instead}` };
}

interface TestRunOptions {
  readonly workshop: Workshop;
  readonly environment: Environment;
  readonly timeoutMs: number;
  readonly workers: number;
}

/** @param names runs only tests whose full name contains one of these */
async function runTests(
  { workshop, environment, timeoutMs, workers }: TestRunOptions,
  files: readonly string[],
  names: readonly string[],
): Promise<TestRun> {
  const { folder, jestConfig } = workshop;
  const report = join(folder, 'jest-report.json');
  rmSync(report, { force: true });
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      ...['--config', jestConfig, '--ci', '--forceExit', '--maxWorkers', String(workers)],
      ...['--json', '--outputFile', report],
      ...['--testNamePattern', names.map(escaped).join('|')],
      ...['--runTestsByPath', ...files],
    ],
    { cwd: folder, env: { ...environment }, stdio: 'ignore', detached: true },
  );
  const end = () => endGroup(child);
  running.add(child);
  const tooLong = AbortSignal.timeout(timeoutMs);
  tooLong.addEventListener('abort', end);
  await once(child, 'exit');
  tooLong.removeEventListener('abort', end);
  running.delete(child);
  end();
  if (tooLong.aborted) return { tests: [], broken: 'the tests exceeded their timeout' };
  if (existsSync(report)) return readReport(report);
  const { exitCode, signalCode } = child;
  return { tests: [], broken: `Jest ended without a report: ${signalCode ?? `exit ${exitCode}`}` };
}

function readReport(report: string): TestRun {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JestReport;
  const tests = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed');
  const broken = testResults.find(({ assertionResults }) => assertionResults.length === 0);
  return { tests, broken: broken?.message ?? null };
}

const running = new Set<ChildProcess>();

/** Kills the tests that run, and waits until they have exited. */
export async function endTests(): Promise<void> {
  const exits = [...running].map((child) => once(child, 'exit'));
  running.forEach(endGroup);
  await Promise.all(exits);
}

/** Also kills processes that a test has left behind, such as a Temporal server. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes of the group have already exited.
  }
}

function escaped(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
