// `npm run bench:scale` (docs/scaling.md): measures what a payment costs in CPU, writes and bytes,
// and how throughput grows from one API and one worker process to two of each, over a Temporal
// server on Postgres, with --mtls behind mutual TLS. The reference is a workflow of the same shape
// that does nothing. It has no targets. Exit codes: 0 measured, 1 failed, 2 the command line is
// invalid.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createTerminal } from '../../../src/dev/terminal';
import { isUsageError } from '../../support/programs/usage-error';
import { endOnSignals } from '../end-on-signals';
import { createStage, removeAbandonedStages } from '../stage';
import { createWorld } from '../world';
import { measureCosts, type Costs } from './costs';
import { openBare } from './bare-system';
import { measure, measureGrowth, type Growth } from './growth';
import { openScaled } from './scaled-system';
import { serverPrograms } from './server-program';
import { HISTORY_SHARDS, startTemporalServer, TEMPORAL_CONNECTIONS } from './temporal-server';

const BARE = 'bare workflow';

interface ScaleOptions {
  readonly json: string | undefined;
  /** A smoke run with blocks of a few payments. */
  readonly isQuick: boolean;
  /** Whether Temporal is behind mutual TLS. */
  readonly isMutual: boolean;
}

const terminal = createTerminal({ output: process.stdout, isColoured: false });
const open = endOnSignals(terminal);

async function main({ json, isQuick, isMutual }: ScaleOptions): Promise<void> {
  await removeAbandonedStages();
  const stage = createStage();
  open.stage = stage;
  const printProgress = (text: string) => {
    terminal.line(`  … ${text}`);
  };
  try {
    const programs = await serverPrograms(stage.tools.cacheDir, printProgress);
    const world = await createWorld(stage, { profileDir: undefined });
    const temporal = await startTemporalServer(stage, { programs, isMutual });
    printProgress('Temporal serves');
    const system = await openScaled(world, temporal);
    await system.addApi();
    await system.addWorker();
    const costs = await measureCosts(system, { isQuick, printProgress });
    const bare = await measure(await openBare(world, temporal), BARE, { isQuick, printProgress });
    const growth = await measureGrowth(system, { isQuick, printProgress });
    await world.close();
    const ratio = ratioOf(growth[0], bare);
    const report = { settings: settingsOf({ isQuick, isMutual }), growth, bare, ratio, costs };
    for (const line of tableOf([bare, ...growth], costs)) terminal.line(line);
    terminal.line(
      `CPU against the bare workflow: ${ratio.all.toFixed(2)}, Temporal's alone ${ratio.temporal.toFixed(2)}`,
    );
    if (json !== undefined) writeFileSync(resolve(json), `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await stage.stop();
  }
}

function settingsOf({ isQuick, isMutual }: Omit<ScaleOptions, 'json'>) {
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    load_average_at_the_end: loadavg(),
    shared: 'load, product, both Postgres and the Temporal server share these cores',
    history_shards: HISTORY_SHARDS,
    temporal_connections: TEMPORAL_CONNECTIONS,
    quick: isQuick,
    mutual_tls: isMutual,
  };
}

function tableOf(growth: readonly Growth[], costs: Costs): readonly string[] {
  return [
    '',
    'processes                creates/s  captured/s   CPU of one payment, ms',
    ...growth.map(({ processes, creates, captured, cpu: shares }) =>
      [
        processes.padEnd(22),
        creates.toFixed(0).padStart(12),
        captured.toFixed(0).padStart(11),
        `   ${sharesOf(shares)}`,
      ].join(''),
    ),
    '',
    ...Object.entries(costs).map(
      ([name, value]) => `${name}: ${String(Math.round(value * 10) / 10)}`,
    ),
  ];
}

const TEMPORAL = ['temporal', 'postgres-temporal'];
const OURS = ['api', 'worker', 'postgres', ...TEMPORAL];
const BARE_PARTS = ['bare-payment-starter.ts', 'bare-payment-worker.ts', ...TEMPORAL];

/** The CPU ratio of the product to the bare workflow: of all processes, and of Temporal alone. */
function ratioOf(ours: Growth | undefined, bare: Growth) {
  const sumOf = (growth: Growth | undefined, parts: readonly string[]) =>
    parts.reduce((ms, part) => ms + (growth?.cpu[part] ?? Number.NaN), 0);
  return {
    all: sumOf(ours, OURS) / sumOf(bare, BARE_PARTS),
    temporal: sumOf(ours, TEMPORAL) / sumOf(bare, TEMPORAL),
  };
}

function sharesOf(shares: Readonly<Record<string, number>>): string {
  return Object.entries(shares)
    .filter(([, ms]) => ms > 0)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
    .join(', ');
}

function readOptions(): ScaleOptions {
  const isSet = { type: 'boolean', default: false } as const;
  const options = { json: { type: 'string' }, quick: isSet, mtls: isSet } as const;
  const { values } = parseArgs({ options });
  return { json: values.json, isQuick: values.quick, isMutual: values.mtls };
}

function end(error: unknown): void {
  if (open.isStopping) return;
  const text = error instanceof Error ? error.message : String(error);
  terminal.complain(text);
  process.exit(isUsageError(error) ? 2 : 1);
}

Promise.resolve()
  .then(() => main(readOptions()))
  .then(() => process.exit(0), end);
