// `npm run bench` (architecture, section 7): every figure is a ratio of two sides measured in one
// run. Exit codes: 0 all passed, 1 something did not, 2 the command line is invalid.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { createTerminal } from '../../src/dev/terminal';
import { StartError } from '../../src/dev/stack/start-error';
import { readCommandLine, UsageError, type BenchOptions } from './command-line';
import type { TemporalTarget } from './environments';
import { createRandom } from './load/random';
import { checkout } from './benches/checkout';
import { confirmCaptured } from './benches/confirm-captured';
import { counters as exactCounters } from './benches/counters';
import { create } from './benches/create';
import { expiryWave } from './benches/expiry-wave';
import { endOnSignals } from './end-on-signals';
import { getByToken, getSigned } from './benches/get';
import { hotPartner } from './benches/hot-partner';
import { lostRows } from './benches/lost-rows';
import { millionIntents } from './benches/million-intents';
import { reconcile } from './benches/reconcile';
import { rejectionTiming } from './benches/rejection-timing';
import { slowNeighbours } from './benches/slow-neighbour';
import { slowProvider } from './benches/slow-provider';
import { tablesOf, type Findings, type Bench } from './figures/report';
import { CONTROL_HALF_WIDTH_MAX } from './figures/rounds';
import { serverPrograms } from './scale/server-program';
import { startTemporalServer } from './scale/temporal-server';
import { createStage, removeAbandonedStages, type Stage } from './stage';
import { webhookBacklog } from './benches/webhook-backlog';
import { createWorld, WORLD_SETTINGS } from './world';

/** Several benches may share a name: they are selected together, and each gets its own stage. */
const BENCHES: readonly Bench[] = [
  checkout,
  confirmCaptured,
  exactCounters,
  create,
  ...expiryWave,
  getByToken,
  getSigned,
  ...hotPartner,
  lostRows,
  millionIntents,
  reconcile,
  rejectionTiming,
  ...slowNeighbours,
  ...slowProvider,
  webhookBacklog,
];
const PRINTED_EVERY_MS = 5_000;

const terminal = createTerminal({ output: process.stdout, isColoured: false });
const open = endOnSignals(terminal);

async function main(): Promise<number> {
  const options = readCommandLine(process.argv.slice(2), [
    ...new Set(BENCHES.map(({ name }) => name)),
  ]);
  const chosen = BENCHES.filter(({ name }) => options.names.includes(name));
  await removeAbandonedStages();
  const findings: Findings[] = [];
  let completed = 0;
  for (const bench of chosen) {
    const found = await runBench(bench, options).catch((error: unknown) =>
      printFailure(bench, error),
    );
    if (found === undefined) continue;
    completed += 1;
    findings.push(...found);
    // What is measured is kept, whatever ends the benches that follow.
    for (const line of tablesOf(joined(found))) terminal.line(line);
    writeJson({ settings: settingsOf(chosen, options), ...joined(findings) }, options);
  }
  const code = verdictOf(joined(findings), options);
  return completed === chosen.length ? code : 1;
}

function joined(findings: readonly Findings[]): Required<Findings> {
  return {
    results: findings.flatMap(({ results = [] }) => results),
    counters: findings.flatMap(({ counters = [] }) => counters),
    percentiles: findings.flatMap(({ percentiles = [] }) => percentiles),
    cpu: findings.flatMap(({ cpu = [] }) => cpu),
  };
}

/** One failed bench does not lose the figures of the others. */
function printFailure({ name }: Bench, error: unknown): undefined {
  if (open.isStopping || error instanceof StartError) throw error;
  terminal.complain(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
}

async function runBench(
  bench: Bench,
  { seed, isQuick, profileDir, isRealServer }: BenchOptions,
): Promise<readonly Findings[]> {
  const startedAt = performance.now();
  const stage = createStage();
  open.stage = stage;
  try {
    const world = await createWorld(stage, {
      profileDir,
      ...(isRealServer && { startTemporal: startRealServer }),
    });
    const stand = {
      world,
      random: createRandom(seed),
      isQuick,
      printProgress: createProgressPrinter(),
    };
    const findings = await bench.run(stand).finally(() => world.close());
    terminal.done(bench.name, performance.now() - startedAt);
    return findings;
  } catch (error) {
    for (const line of stage.lastErrors()) terminal.complain(`${bench.name}: ${line}`);
    throw error;
  } finally {
    await stage.stop();
  }
}

async function startRealServer(stage: Stage): Promise<TemporalTarget> {
  const programs = await serverPrograms(stage.tools.cacheDir, createProgressPrinter());
  return startTemporalServer(stage, { programs, isMutual: false });
}

/** @returns a function that prints at most one line every few seconds */
function createProgressPrinter(): (text: string) => void {
  let printedAt = Number.NEGATIVE_INFINITY;
  return (text) => {
    if (performance.now() - printedAt < PRINTED_EVERY_MS) return;
    printedAt = performance.now();
    terminal.line(`  … ${text}`);
  };
}

function writeJson(report: object, { jsonFile }: BenchOptions): void {
  if (jsonFile === undefined) return;
  writeFileSync(resolve(jsonFile), `${JSON.stringify(report, null, 2)}\n`);
}

/** @returns the exit code */
function verdictOf(report: Required<Findings>, { isQuick }: BenchOptions): number {
  if (isQuick)
    terminal.line('Quick run: ratios prove nothing, so only the counters set the exit code.');
  const checked = isQuick ? report.counters : [...report.results, ...report.counters];
  return checked.every(({ pass }) => pass) ? 0 : 1;
}

function settingsOf(chosen: readonly Bench[], { seed, isQuick, isRealServer }: BenchOptions) {
  return {
    date: new Date().toISOString(),
    commit: readCommit(),
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 2 ** 30),
    load_average_at_the_end: loadavg().map((load) => Math.round(load * 10) / 10),
    shared: 'load, servers under test and Postgres share these cores',
    seed,
    quick: isQuick,
    control_half_width_max: CONTROL_HALF_WIDTH_MAX,
    ...WORLD_SETTINGS,
    ...(isRealServer && { temporal: 'a server on a Postgres of its own, as of bench:scale' }),
    benches: Object.fromEntries(chosen.map(({ name, settings }) => [name, settings])),
  };
}

/** The short hash, followed by `-dirty` when the sources differ from that commit. */
function readCommit(): string {
  const args = ['describe', '--always', '--dirty', '--abbrev=7', '--exclude=*'];
  try {
    return execFileSync('git', args, { cwd: __dirname, stdio: 'pipe', timeout: 5_000 })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}

function explain(error: unknown): number {
  const isExpected = error instanceof UsageError || error instanceof StartError;
  const text = error instanceof Error ? error.message : String(error);
  terminal.complain(isExpected ? text : `The bench failed: ${text}`);
  return error instanceof UsageError ? 2 : 1;
}

void main()
  // An error is expected while everything is stopping, and is not printed.
  .catch((error: unknown) => (open.isStopping ? 1 : explain(error)))
  .then((code) => {
    if (!open.isStopping) process.exit(code);
  });
