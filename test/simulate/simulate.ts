// `npm run simulate` (docs/simulation.md): runs payments in virtual time with the real workflows,
// activities and stores. Exit codes: 0 nothing violated, 1 an invariant violated, 2 wrong command
// line.
import { createTerminal, formatMs } from '../../src/dev/terminal';
import { StartError } from '../../src/dev/stack/start-error';
import { UsageError } from '../bench/command-line';
import { readCommandLine, type SimulateOptions } from './run/command-line';
import { openHarness, type Harness } from './world/harness';
import { runLives } from './run/run';
import { schedulesOf } from './run/schedules';
import { storyOf } from './run/story';
import { Tally, type Failure } from './run/tally';

const terminal = createTerminal({ output: process.stdout, isColoured: false });
/** The harness that must be closed before this process exits. */
let opening: Promise<Harness> | undefined;
let isStopping = false;
const INTERRUPTED = 130;
const PROGRESS_EVERY_MS = 10_000;

async function main(): Promise<number> {
  const options = readCommandLine(process.argv.slice(2));
  const opened = openHarness();
  opening = opened;
  const harness = await terminal.step('Postgres is up, the workflows are bundled', () => opened);
  const tally = new Tally();
  const startedMs = performance.now();
  try {
    const life = await runLives(harness, schedulesOf(options), tally, {
      onLife: progressOf(tally, startedMs),
      onFailure: print,
    });
    const isAlone = options.life !== undefined || options.script !== undefined;
    for (const line of isAlone && life ? storyOf(life) : ['', ...tally.table()])
      terminal.line(line);
    return report(options, tally, performance.now() - startedMs);
  } finally {
    if (!isStopping) await harness.close();
  }
}

function report({ seed }: SimulateOptions, tally: Tally, tookMs: number): number {
  const isClean = tally.failures.length === 0;
  const rate = tally.lives / (tookMs / 1_000);
  terminal.line();
  terminal.line(
    `  ${isClean ? 'Nothing is violated' : 'VIOLATED'}: ${String(tally.lives)} lives, seed ${String(seed)}, ${formatMs(tookMs)}, ${rate.toFixed(0)} a second.`,
  );
  return isClean ? 0 : 1;
}

function print({ number, script, story }: Failure): void {
  terminal.line(`  Life ${String(number)}, with its fewest choices:`);
  for (const line of story) terminal.line(line);
  terminal.line(`  To repeat it: npm run simulate -- --script '${JSON.stringify(script)}'`);
  terminal.line();
}

function progressOf(tally: Tally, startedMs: number): () => void {
  let lastMs = startedMs;
  return () => {
    const nowMs = performance.now();
    if (nowMs < lastMs + PROGRESS_EVERY_MS) return;
    lastMs = nowMs;
    const rate = tally.lives / ((nowMs - startedMs) / 1_000);
    terminal.line(`  … ${String(tally.lives)} lives, ${rate.toFixed(0)} a second`);
  };
}

function explain(error: unknown): number {
  const isExpected = error instanceof UsageError || error instanceof StartError;
  const text = error instanceof Error ? error.message : String(error);
  const whole = error instanceof Error ? (error.stack ?? text) : text;
  terminal.complain(isExpected ? text : `The simulation failed: ${whole}`);
  return error instanceof UsageError ? 2 : 1;
}

/**
 * Closes the harness before exit. npm and the terminal both send the signal, so the second one is
 * ignored.
 */
function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      terminal.line('  stopping …');
      void Promise.resolve(opening)
        .then((harness) => harness?.close())
        .catch(() => undefined)
        .then(() => process.exit(INTERRUPTED));
    });
  }
}

endOnSignals();
void main()
  .catch((error: unknown) => (isStopping ? INTERRUPTED : explain(error)))
  .then((code) => {
    if (!isStopping) process.exit(code);
  });
