// Whether simulated lives over a workshop violate anything because of a mutation, and after how many lives.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { untilExit } from './children';
import type { Mutation, Verdict } from './mutation';
import type { Workshop } from './workshop';

const RUN_TIMEOUT_MS = 300_000;
const LIVES = 700;
const SEED = 1;
/** What a life is made of: a mutation of anything else cannot be met in one. */
const LIVED = /^(workflows|activities|src\/(domain|postgres|temporal))\//;
/** Of these folders, what no life runs, or what shows only where two statements run at once. */
const NOT_LIVED =
  /reconcil|find-signed|nonce|service-environment|postgres\/database|being-written|watch-gap|endpoint-slots/;

export function isLived({ file }: Mutation): boolean {
  return LIVED.test(file) && !NOT_LIVED.test(file);
}

const reportSchema = z.object({
  lives: z.number(),
  invariants: z.array(z.object({ name: z.string(), violations: z.number() })),
});

export async function tryBySimulation(
  { simulated = {} }: Mutation,
  { folder }: Workshop,
): Promise<Verdict> {
  const json = join(folder, 'simulated.json');
  rmSync(json, { force: true });
  const args = ['--require', 'tsx/cjs', 'test/simulate/simulate.ts', '--json', json];
  const wanted = ['--lives', String(LIVES), '--seed', String(SEED)];
  const drawn = [...wanted, '--with', JSON.stringify(simulated)];
  const child = spawn(process.execPath, [...args, ...drawn], { cwd: folder, stdio: 'ignore' });
  await untilExit(child, () => child.kill('SIGTERM'), RUN_TIMEOUT_MS);
  const report = readReport(json);
  if (report === undefined) return { verdict: 'broken', detail: 'there is no report' };
  const { lives, invariants } = report;
  const violated = invariants.filter(({ violations }) => violations > 0).map(({ name }) => name);
  if (violated.length === 0)
    return { verdict: 'survived', detail: `${String(lives)} lives`, by: 'any invariant' };
  const by = `life ${String(lives)}: ${violated.join('; ')}`;
  return { verdict: 'caught', detail: by, by };
}

function readReport(file: string): z.infer<typeof reportSchema> | undefined {
  try {
    return reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
