// `npm run test:mutations -- [PART OF A NAME…] [--json]`: makes each deliberate mistake in a copy of the repository and
// demands that the test named for it fails. Exit codes: 0 every one was caught, 1 one was not, 2 wrong command line.
import { parseArgs } from 'node:util';
import { processEnvironment } from '../../src/config';
import { readTools, testServerOf } from '../../src/dev/tools';
import { createTestServers, type TestServers } from '../support/test-servers';
import { isUsageError } from '../support/usage-error';
import type { Mutation } from './mutation';
import { MUTATIONS } from './mutations';
import { endTestRuns, runTests, type TestRun, type TestRunOptions } from './test-run';
import { openWorkshop, type Workshop } from './workshop';

/** One mutation's tests take seconds; a mistake that makes them hang costs this. */
const MUTATION_TIMEOUT_MS = 90_000;
const BASELINE_TIMEOUT_MS = 240_000;

type Verdict = 'caught' | 'survived' | 'other test failed' | 'broken';

interface Finding {
  readonly name: string;
  readonly file: string;
  readonly must_fail: string;
  readonly verdict: Verdict;
  readonly seconds: number;
  /** How the test failed, or what failed instead, or why nothing could be run. */
  readonly detail: string;
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  const isWanted = ({ name }: Mutation) => positionals.some((part) => name.includes(part));
  const chosen = positionals.length === 0 ? MUTATIONS : MUTATIONS.filter(isWanted);
  if (chosen.length === 0) {
    say(`No mutation has "${positionals.join('", "')}" in its name.`);
    return 2;
  }
  const findings = await inWorkshop(async (workshop, options) => {
    workshop.requireFitting(chosen);
    await requireGreen(chosen, options);
    const made: Finding[] = [];
    for (const mutation of chosen) {
      const finding = await judge(mutation, workshop, options);
      say(`${finding.verdict.padEnd(VERDICT_WIDTH)} ${inSeconds(finding)}  ${finding.name}`);
      if (finding.verdict !== 'caught') say(finding.detail);
      made.push(finding);
    }
    return made;
  });
  process.stdout.write(values.json ? `${JSON.stringify(findings, null, 2)}\n` : tableOf(findings));
  return findings.every(({ verdict }) => verdict === 'caught') ? 0 : 1;
}

function readArguments() {
  return parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
}

/** One copy, one Postgres and one Temporal server for all of them, gone afterwards however it ended. */
async function inWorkshop(
  work: (workshop: Workshop, options: TestRunOptions) => Promise<Finding[]>,
): Promise<Finding[]> {
  const servers = createTestServers();
  const workshop = openWorkshop();
  const interrupted = endOnSignals(servers, workshop);
  try {
    const { databaseUrl, temporalAddress } = await servers.start({ temporalAddress: undefined });
    const environment = {
      ...processEnvironment(),
      NODE_ENV: 'test',
      FORCE_COLOR: '0',
      TEST_DATABASE_URL: databaseUrl,
      TEST_TEMPORAL_ADDRESS: temporalAddress,
      TEST_TEMPORAL_TEST_SERVER: testServerOf(readTools()),
    };
    return await work(workshop, { ...workshop, environment, timeoutMs: MUTATION_TIMEOUT_MS });
  } finally {
    interrupted.forget();
    workshop.remove();
    await servers.stop();
  }
}

function endOnSignals(servers: TestServers, workshop: Workshop): { forget(): void } {
  const end = (signal: NodeJS.Signals) => {
    endTestRuns();
    workshop.remove();
    servers.kill();
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  return {
    forget: () => {
      for (const signal of signals) process.removeListener(signal, end);
    },
  };
}

/** A test that fails without any mistake, or is not there, would seem to catch everything. */
async function requireGreen(chosen: readonly Mutation[], options: TestRunOptions): Promise<void> {
  const startedMs = performance.now();
  const files = new Set(chosen.flatMap(({ tests }) => tests));
  const names = chosen.map(({ mustFail }) => mustFail);
  const run = await runTests({ ...options, timeoutMs: BASELINE_TIMEOUT_MS }, [...files], names);
  if (run.broken !== null) throw new Error(`The tests do not run as they are: ${run.broken}`);
  const red = run.tests.filter(({ status }) => status === 'failed');
  const missing = names.filter(
    (name) => !run.tests.some(({ fullName }) => fullName.includes(name)),
  );
  if (red.length > 0 || missing.length > 0) {
    const failed = red.map(({ fullName }) => fullName);
    throw new Error(
      `Without any mistake these fail: ${failed.join('; ')}, and these are not there: ${missing.join('; ')}`,
    );
  }
  const count = new Set(names).size;
  say(
    `${'green'.padEnd(VERDICT_WIDTH)} ${inSeconds({ seconds: since(startedMs) })}  the ${count} tests, without any mistake`,
  );
}

async function judge(
  mutation: Mutation,
  workshop: Workshop,
  options: TestRunOptions,
): Promise<Finding> {
  const startedMs = performance.now();
  const { name, file, tests, mustFail } = mutation;
  const run = await workshop.withMistake(mutation, () => runTests(options, tests, [mustFail]));
  const seconds = since(startedMs);
  return { name, file, must_fail: mustFail, seconds, ...verdictOn(run, mustFail) };
}

function verdictOn(run: TestRun, mustFail: string): Pick<Finding, 'verdict' | 'detail'> {
  if (run.broken !== null) return { verdict: 'broken', detail: run.broken };
  const failed = run.tests.filter(({ status }) => status === 'failed');
  const named = failed.find(({ fullName }) => fullName.includes(mustFail));
  if (named !== undefined) {
    return { verdict: 'caught', detail: named.failureMessages.join('\n') };
  }
  if (failed.length === 0) return { verdict: 'survived', detail: `not failed: ${mustFail}` };
  const instead = failed.map(({ fullName }) => fullName).join('; ');
  return { verdict: 'other test failed', detail: `failed instead: ${instead}` };
}

const VERDICT_WIDTH = 'other test failed'.length;

function tableOf(findings: readonly Finding[]): string {
  const rows = findings.map(
    (finding) =>
      `${finding.verdict.padEnd(VERDICT_WIDTH)} ${inSeconds(finding)}  ${finding.file}: ${finding.name}\n${' '.repeat(VERDICT_WIDTH + 8)}by "${finding.must_fail}"`,
  );
  const caught = findings.filter(({ verdict }) => verdict === 'caught').length;
  const total = findings.reduce((sum, { seconds }) => sum + seconds, 0);
  return `\n${rows.join('\n')}\n\n${caught} of ${findings.length} mistakes were caught, in ${total.toFixed(0)} s\n`;
}

function inSeconds({ seconds }: { readonly seconds: number }): string {
  return `${seconds.toFixed(1).padStart(5)} s`;
}

function since(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000;
}

/** Progress; the result alone goes to the standard output. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = isUsageError(error) ? 2 : 1;
  },
);
