// Runs simulated lives on a mutated copy: reports which invariants fail, and after how many lives.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { untilExit } from './children';
import { SHOWN_WITH } from './lives';
import type { TestMutation, Verdict } from './mutation';
import { NOT_SHOWN } from './not-shown';
import type { Workshop } from './workshop';

/** A life that repeats without end takes minutes to report. */
const RUN_TIMEOUT_MS = 600_000;
const LIVES = 700;
const SEED = 1;
/** The folders that a simulated life executes. A mutation anywhere else cannot show in one. */
const SIMULATED = /^(workflows|activities|src\/(domain|postgres|temporal))\//;
/** Files of these folders that no life executes, or that fail only when two statements overlap. */
const NOT_SIMULATED =
  /reconcil|reports\/findings|signed-reads|nonce|service-environment|postgres\/database|commit-under-way|watch-gap|domain\/webhooks\/endpoints/;

/** Whether lives execute the mutated code. */
export function isExecuted({ file }: TestMutation): boolean {
  return SIMULATED.test(file) && !NOT_SIMULATED.test(file);
}

export function isSimulated(mutation: TestMutation): boolean {
  const isHidden = Object.values(NOT_SHOWN).some((names) => names.includes(mutation.name));
  return isExecuted(mutation) && !isHidden;
}

const reportSchema = z.object({
  lives: z.number(),
  invariants: z.array(z.object({ name: z.string(), violations: z.number() })),
});

export async function tryBySimulation(
  { name }: TestMutation,
  { folder }: Workshop,
): Promise<Verdict> {
  const json = join(folder, 'simulated.json');
  rmSync(json, { force: true });
  const args = ['--require', 'tsx/cjs', 'test/simulate/simulate.ts', '--json', json];
  const wanted = ['--lives', String(LIVES), '--seed', String(SEED)];
  const drawn = [...wanted, '--with', JSON.stringify(SHOWN_WITH[name] ?? {})];
  const child = spawn(process.execPath, [...args, ...drawn], { cwd: folder, stdio: 'ignore' });
  await untilExit(child, () => child.kill('SIGTERM'), RUN_TIMEOUT_MS);
  const report = readReport(json);
  if (report === undefined) return { verdict: 'broken', detail: 'the simulation wrote no report' };
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
