// `npm run bench` (architecture, section 7): every figure is a ratio of two sides measured in one run. Exit codes: 0 all
// passed, 1 something did not, 2 the command line names what is not there.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { createTerminal } from '../../src/dev/terminal';
import { StartError } from '../../src/dev/stack/start-error';
import { readCommandLine, UsageError, type Wishes } from './command-line';
import { createRandom } from './load/random';
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
import { refusalTiming } from './benches/rejection-timing';
import { tablesOf, type Findings, type Bench } from './figures/report';
import { CONTROL_HALF_WIDTH_MAX } from './figures/rounds';
import { openStage, removeAbandonedStages } from './stage';
import { webhookBacklog } from './benches/webhook-backlog';
import { createWorld, WORLD_SETTINGS } from './world';

/** A new bench is a line here. Several of one name are told and chosen as one, and each has a stage of its own. */
const BENCHES: readonly Bench[] = [
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
  refusalTiming,
  webhookBacklog,
];
const TOLD_EVERY_MS = 5_000;

const terminal = createTerminal({ output: process.stdout, isColoured: false });
const open = endOnSignals(terminal);

async function main(): Promise<number> {
  const wishes = readCommandLine(process.argv.slice(2), [
    ...new Set(BENCHES.map(({ name }) => name)),
  ]);
  const chosen = BENCHES.filter(({ name }) => wishes.names.includes(name));
  await removeAbandonedStages();
  const findings: (readonly Findings[])[] = [];
  for (const bench of chosen) {
    const found = await runBench(bench, wishes).catch((error: unknown) =>
      tellFailure(bench, error),
    );
    if (found !== undefined) findings.push(found);
  }
  const all = findings.flat();
  const report = {
    settings: settingsOf(chosen, wishes),
    results: all.flatMap(({ results = [] }) => results),
    counters: all.flatMap(({ counters = [] }) => counters),
    percentiles: all.flatMap(({ percentiles = [] }) => percentiles),
    cpu: all.flatMap(({ cpu = [] }) => cpu),
  };
  const code = conclude(report, wishes);
  return findings.length === chosen.length ? code : 1;
}

/** What the other benches find is not lost with it. */
function tellFailure({ name }: Bench, error: unknown): undefined {
  if (open.isStopping || error instanceof StartError) throw error;
  terminal.complain(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
}

async function runBench(
  bench: Bench,
  { seed, isQuick, profileDir }: Wishes,
): Promise<readonly Findings[]> {
  const startedAt = performance.now();
  const stage = openStage();
  open.stage = stage;
  try {
    const world = await createWorld(stage, { profileDir });
    const stand = { world, random: createRandom(seed), isQuick, tell: createProgressPrinter() };
    const findings = await bench.run(stand).finally(() => world.close());
    terminal.done(bench.name, performance.now() - startedAt);
    return findings;
  } catch (error) {
    for (const said of stage.lastErrors()) terminal.complain(`${bench.name}: ${said}`);
    throw error;
  } finally {
    await stage.stop();
  }
}

/** The latest line of progress, every few seconds. */
function createProgressPrinter(): (text: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (text) => {
    if (performance.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = performance.now();
    terminal.line(`  … ${text}`);
  };
}

function conclude(report: Required<Findings>, { jsonFile, isQuick }: Wishes): number {
  terminal.line();
  for (const line of tablesOf(report)) terminal.line(line);
  if (jsonFile !== undefined) {
    writeFileSync(resolve(jsonFile), `${JSON.stringify(report, null, 2)}\n`);
  }
  if (isQuick)
    terminal.line('A quick run: the figures prove nothing, the exit code is that of the counters.');
  const judged = isQuick ? report.counters : [...report.results, ...report.counters];
  return judged.every(({ pass }) => pass) ? 0 : 1;
}

function settingsOf(chosen: readonly Bench[], { seed, isQuick }: Wishes) {
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
    benches: Object.fromEntries(chosen.map(({ name, settings }) => [name, settings])),
  };
}

/** As `git` tells it, with `-dirty` behind it when the sources are not those of any commit. */
function readCommit(): string {
  const asked = ['describe', '--always', '--dirty', '--abbrev=7', '--exclude=*'];
  try {
    return execFileSync('git', asked, { cwd: __dirname, stdio: 'pipe', timeout: 5_000 })
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
  // What fails because everything is stopping is no news.
  .catch((error: unknown) => (open.isStopping ? 1 : explain(error)))
  .then((code) => {
    if (!open.isStopping) process.exit(code);
  });
