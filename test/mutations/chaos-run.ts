// Runs chaos on a mutated copy and checks that it reports the invariant named for the mutation.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { untilExit } from './children';
import type { ChaosMutation, Verdict } from './mutation';
import type { Workshop } from './workshop';

/** Covers start, load, settling and checks of the longest mutation. */
const RUN_TIMEOUT_MS = 300_000;
/**
 * Bounds a mutation that keeps payments from settling: the harness waits ten times this timeout.
 */
const HARNESS_TIMEOUT_SECONDS = 15;
const SEED = 1;

const reportSchema = z.object({
  invariants: z.array(
    z.object({ name: z.string(), violations: z.number(), examples: z.array(z.string()) }),
  ),
});

export async function tryByChaos(
  { seconds, only, mustViolate }: ChaosMutation,
  { folder }: Workshop,
): Promise<Verdict> {
  const [json, logFile] = [join(folder, 'chaos.json'), join(folder, 'chaos.log')];
  rmSync(json, { force: true });
  const log = openSync(logFile, 'w', 0o600);
  const args = [
    ...['--require', 'tsx/cjs', 'test/chaos/chaos.ts', '--details', json, '--seed', String(SEED)],
    ...['--seconds', String(seconds), '--timeout', String(HARNESS_TIMEOUT_SECONDS)],
    ...only.flatMap((part) => ['--only', part]),
  ];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', log, log] });
  closeSync(log);
  // On SIGTERM the harness stops the processes that it has started.
  await untilExit(child, () => child.kill('SIGTERM'), RUN_TIMEOUT_MS);
  const violated = readReport(json)?.invariants.filter(({ violations }) => violations > 0);
  if (violated === undefined) {
    const lastLines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-3);
    return { verdict: 'broken', detail: lastLines.join(' / ') };
  }
  const named = violated.find(({ name }) => name === mustViolate);
  if (named !== undefined) return { verdict: 'caught', detail: named.examples[0] ?? '' };
  if (violated.length === 0) return { verdict: 'survived', detail: 'nothing was violated' };
  const others = violated.map(({ name, examples }) => `${name} (${examples[0] ?? ''})`);
  return { verdict: 'caught by another', detail: `violated instead: ${others.join('; ')}` };
}

function readReport(file: string): z.infer<typeof reportSchema> | undefined {
  try {
    return reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
