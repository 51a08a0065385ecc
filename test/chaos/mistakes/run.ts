// `npm run chaos:mutations -- [PART OF A NAME…] [--json]`: makes each deliberate mistake in a copy of the repository, runs the
// harness over it, and demands that it finds the invariant violated that the mistake violates. Exit codes: 0 each was
// found, 1 one was not, 2 wrong command line.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { openWorkshop, type Workshop } from '../../mutations/workshop';
import { isUsageError } from '../../support/usage-error';
import { CHAOS_MISTAKES, type ChaosMistake } from './mistakes';

/** Start, load, settling and the checks of the longest. */
const RUN_TIMEOUT_MS = 300_000;
/** A mistake may keep payments from ever settling. The harness waits for ten times its patience, which is what that costs. */
const PATIENCE_SECONDS = 15;
const SEED = 1;

const reportSchema = z.object({
  payments: z.number(),
  invariants: z.array(
    z.object({
      name: z.string(),
      checked: z.number(),
      violations: z.number(),
      examples: z.array(z.string()),
    }),
  ),
});

type Report = z.infer<typeof reportSchema>;

interface Verdict {
  readonly name: string;
  readonly must_violate: string;
  readonly verdict: 'found' | 'not found' | 'broken';
  readonly payments: number;
  readonly violations: number;
  /** Other invariants that were violated too, each with the first violation. */
  readonly also: readonly string[];
  readonly seconds: number;
  /** The first violation, or why there is none. */
  readonly detail: string;
}

const running = new Set<ChildProcess>();

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  const isWanted = ({ name }: ChaosMistake) =>
    positionals.length === 0 || positionals.some((part) => name.includes(part));
  const chosen = CHAOS_MISTAKES.filter(isWanted);
  if (chosen.length === 0) {
    say(`No mistake has "${positionals.join('", "')}" in its name.`);
    return 2;
  }
  const workshop = openWorkshop();
  endOnSignals(workshop);
  const verdicts: Verdict[] = [];
  try {
    workshop.requireFitting(chosen);
    for (const mistake of chosen) {
      const verdict = await judge(mistake, workshop);
      say(
        `${verdict.verdict.padEnd(9)} ${verdict.seconds.toFixed(0).padStart(4)} s  ${verdict.name}`,
      );
      verdicts.push(verdict);
    }
  } finally {
    workshop.remove();
  }
  process.stdout.write(values.json ? `${JSON.stringify(verdicts, null, 2)}\n` : tableOf(verdicts));
  return verdicts.every(({ verdict }) => verdict === 'found') ? 0 : 1;
}

function readArguments() {
  return parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
}

async function judge(mistake: ChaosMistake, workshop: Workshop): Promise<Verdict> {
  const startedAt = performance.now();
  const report = await workshop.withMistake(mistake, () => runHarness(mistake, workshop));
  const about = {
    name: mistake.name,
    must_violate: mistake.mustViolate,
    seconds: (performance.now() - startedAt) / 1_000,
  };
  if (report === undefined) {
    const log = readFileSync(logOf(workshop), 'utf8').trim().split('\n').slice(-3).join(' / ');
    return { ...about, verdict: 'broken', payments: 0, violations: 0, also: [], detail: log };
  }
  const violated = report.invariants.filter(({ violations }) => violations > 0);
  const named = violated.find(({ name }) => name === mistake.mustViolate);
  return {
    ...about,
    verdict: named === undefined ? 'not found' : 'found',
    payments: report.payments,
    violations: named?.violations ?? 0,
    also: violated
      .filter(({ name }) => name !== mistake.mustViolate)
      .map(({ name, examples }) => `${name} (${examples[0] ?? 'no example'})`),
    detail: named?.examples[0] ?? 'nothing of it was violated',
  };
}

/** In the copy, as a process of its own. Undefined when it wrote no report. */
async function runHarness(
  { seconds, only }: ChaosMistake,
  workshop: Workshop,
): Promise<Report | undefined> {
  const json = join(workshop.folder, 'chaos.json');
  rmSync(json, { force: true });
  const log = openSync(logOf(workshop), 'w', 0o600);
  const child = spawn(
    process.execPath,
    [
      ...['--require', 'tsx/cjs', 'test/chaos/chaos.ts', '--details', json, '--seed', String(SEED)],
      ...['--seconds', String(seconds), '--patience', String(PATIENCE_SECONDS)],
      ...only.flatMap((part) => ['--only', part]),
    ],
    { cwd: workshop.folder, stdio: ['ignore', log, log], timeout: RUN_TIMEOUT_MS },
  );
  closeSync(log);
  running.add(child);
  await once(child, 'exit');
  running.delete(child);
  return readReport(json);
}

function readReport(file: string): Report | undefined {
  try {
    return reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function logOf({ folder }: Workshop): string {
  return join(folder, 'chaos.log');
}

function tableOf(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ name, verdict, must_violate, violations, detail, also, seconds }) =>
    [
      `${verdict.padEnd(9)} ${seconds.toFixed(0).padStart(4)} s  ${name}`,
      `                  ${must_violate}: ${violations}, such as ${detail}`,
      ...(also.length > 0 ? [`                  and ${also.length} more: ${also.join('; ')}`] : []),
    ].join('\n'),
  );
  const found = verdicts.filter(({ verdict }) => verdict === 'found').length;
  const total = verdicts.reduce((sum, { seconds }) => sum + seconds, 0);
  return `\n${rows.join('\n')}\n\n${found} of ${verdicts.length} mistakes were found, in ${total.toFixed(0)} s\n`;
}

/** The harness stops what it has started when it is told to stop. */
function endOnSignals(workshop: Workshop): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      const ended = [...running].map((child) => {
        child.kill('SIGTERM');
        return once(child, 'exit');
      });
      void Promise.all(ended).finally(() => {
        workshop.remove();
        process.exit(130);
      });
    });
  }
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
