// `npm run chaos` (docs/reliability.md): runs the whole system under load, injects faults, then
// checks all invariants. Exit codes: 0 nothing violated, 1 an invariant violated, 2 wrong command
// line.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartError } from '../../src/dev/stack/start-error';
import { createTerminal, formatMs } from '../../src/dev/terminal';
import { UsageError } from '../bench/command-line';
import { readCommandLine } from './command-line';
import { isClean, publicReport, tableOf } from './report/report';
import { runChaos } from './run';
import { startSystem } from './system';

const terminal = createTerminal({ output: process.stdout, isColoured: false });
/** The processes that must end with this one. */
let stage: { kill(): void } | undefined;

async function main(): Promise<number> {
  const options = readCommandLine(process.argv.slice(2));
  const startedAt = performance.now();
  const onRestart = ({ name, reason, tookMs }: { name: string; reason: string; tookMs: number }) =>
    terminal.line(`            ${name} ended (${reason}); up again in ${formatMs(tookMs)}`);
  const system = await terminal.step('everything started', () =>
    startSystem({ ...options, onRestart }, (opened) => (stage = opened)),
  );
  // A violation, or a failure here, cannot be explained without its data, and hardly happens twice.
  let isKept = true;
  try {
    const report = await runChaos(system, options, {
      line: terminal.line,
      status: (text) => terminal.line(`  … ${text}`),
    });
    terminal.line();
    for (const line of tableOf(report)) terminal.line(line);
    if (options.jsonFile !== undefined) {
      const text = JSON.stringify(publicReport(report), null, 2);
      writeFileSync(resolve(options.jsonFile), `${text}\n`);
    }
    terminal.line();
    terminal.line(
      `  ${isClean(report) ? 'Nothing is violated' : 'VIOLATED'}: ${report.payments} payments, seed ${report.seed}, ${formatMs(performance.now() - startedAt)} in all.`,
    );
    isKept = options.isKept || !isClean(report);
    return isClean(report) ? 0 : 1;
  } finally {
    if (isKept) terminal.line(`  Logs and data stay in ${system.directory}`);
    await system.stop({ isKept });
    stage = undefined;
  }
}

/**
 * Ctrl-C kills everything at once: the data of a run is thrown away, so nothing needs an orderly
 * stop.
 */
function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      terminal.line('  stopping …');
      process.exit(130);
    });
  }
  process.once('exit', () => stage?.kill());
}

function explain(error: unknown): number {
  const isExpected = error instanceof UsageError || error instanceof StartError;
  const text = error instanceof Error ? error.message : String(error);
  const whole = error instanceof Error ? (error.stack ?? text) : text;
  terminal.complain(isExpected ? text : `The harness failed: ${whole}`);
  return error instanceof UsageError ? 2 : 1;
}

endOnSignals();
void main()
  .catch(explain)
  .then((code) => process.exit(code));
