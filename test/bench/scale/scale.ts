// `npm run bench:scale` (docs/scaling.md): what a payment costs every part of the product in CPU, writes and bytes, and how
// throughput grows from one API and one worker process to two of each, over one Temporal server on Postgres, beside a workflow of the
// same shape that does nothing. No target: figures to size by. Exit codes: 0 measured, 1 failed, 2 the command line names what is not there.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createTerminal } from '../../../src/dev/terminal';
import { isUsageError } from '../../support/programs/usage-error';
import { endOnSignals } from '../end-on-signals';
import { openStage, removeAbandonedStages } from '../stage';
import { createWorld } from '../world';
import { measureCosts, type Costs } from './costs';
import { openBare } from './bare-system';
import { measure, measureGrowth, type Growth } from './growth';
import { openScaled } from './scaled-system';
import { serverPrograms } from './server-program';
import { HISTORY_SHARDS, startTemporalServer, TEMPORAL_CONNECTIONS } from './temporal-server';

const BARE = 'bare workflow';

interface Wishes {
  readonly json: string | undefined;
  /** Blocks of a few payments: a smoke run. */
  readonly isQuick: boolean;
}

const terminal = createTerminal({ output: process.stdout, isColoured: false });
const open = endOnSignals(terminal);

async function main({ json, isQuick }: Wishes): Promise<void> {
  await removeAbandonedStages();
  const stage = openStage();
  open.stage = stage;
  const tell = (text: string) => {
    terminal.line(`  … ${text}`);
  };
  try {
    const programs = await serverPrograms(stage.tools.cacheDir, tell);
    const world = await createWorld(stage, { profileDir: undefined });
    const temporal = await startTemporalServer(stage, programs);
    tell('Temporal serves');
    const system = await openScaled(world, temporal);
    await system.addApi();
    await system.addWorker();
    const costs = await measureCosts(system, { isQuick, tell });
    const bare = await measure(await openBare(world, temporal), BARE, { isQuick, tell });
    const growth = await measureGrowth(system, { isQuick, tell });
    await world.close();
    const ratio = ratioOf(growth[0], bare);
    const report = { settings: settingsOf(isQuick), growth, bare, ratio, costs };
    for (const line of tableOf([bare, ...growth], costs)) terminal.line(line);
    terminal.line(
      `CPU against the bare workflow: ${ratio.all.toFixed(2)}, Temporal's alone ${ratio.temporal.toFixed(2)}`,
    );
    if (json !== undefined) writeFileSync(resolve(json), `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await stage.stop();
  }
}

function settingsOf(isQuick: boolean) {
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

/** Of CPU: the product's to the bare workflow's, in all and of Temporal alone. */
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

function readWishes(): Wishes {
  const options = { json: { type: 'string' }, quick: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ options });
  return { json: values.json, isQuick: values.quick };
}

function end(error: unknown): void {
  if (open.isStopping) return;
  const text = error instanceof Error ? error.message : String(error);
  terminal.complain(text);
  process.exit(isUsageError(error) ? 2 : 1);
}

Promise.resolve()
  .then(() => main(readWishes()))
  .then(() => process.exit(0), end);
