// The product with as many API and worker processes as are asked for, and a load process for each API.
import { createDatabase, type Database } from '../../../src/postgres/database';
import { aBlock, type BlockKind } from './blocks';
import type { TestPartner } from '../../support/partner';
import { cpuBetween, type CpuTimes } from '../cpu-times';
import { startLoad, type Load } from '../load';
import { openPartners } from '../partners';
import { openPayments, type Payments } from '../payments';
import { untilStarted } from '../starts';
import type { World } from '../world';
import type { TemporalOnPostgres } from './temporal-server';

export interface BlockFigures {
  readonly perSecond: number;
  /** Milliseconds of CPU for one, by part. */
  readonly cpuMs: CpuTimes;
}

export interface ScaledSystem {
  readonly database: Database;
  /** Of Temporal's executions. */
  readonly executions: Database;
  addApi(): Promise<void>;
  addWorker(): Promise<void>;
  /** That many creates, or confirms of payments that wait, until nothing of them is left to be done. */
  runBlock(kind: BlockKind, count: number): Promise<BlockFigures>;
  close(): Promise<void>;
}

/** Of all API processes together. */
const IN_FLIGHT = 32;

interface Door {
  readonly port: number;
  readonly load: Load;
}

export async function openScaled(
  world: World,
  temporal: TemporalOnPostgres,
): Promise<ScaledSystem> {
  const endpoints = `http://127.0.0.1:${String(await world.startReference('instant-endpoints.ts'))}`;
  const partners = await openPartners(world);
  const payments = await openPayments(world.databaseUrl, temporal);
  const executions = createDatabase({
    url: temporal.databaseUrl,
    poolSize: 1,
    onLostConnection: () => undefined,
  });
  const onboarded = await partners.onboard({
    name: 'siam-travel',
    webhookUrl: `${endpoints}/webhooks`,
  });
  const doors: Door[] = [];
  return {
    database: payments.database,
    executions,
    async addApi() {
      doors.push({ port: await world.startApi({ temporal }), load: startLoad() });
    },
    addWorker: () => world.startWorker(temporal, { providerUrl: endpoints }),
    runBlock: (kind, count) =>
      runBlock({ world, payments, doors, partner: onboarded }, kind, count),
    async close() {
      for (const { load } of doors) load.close();
      partners.close();
      await executions.close();
      await payments.close();
    },
  };
}

interface Running {
  readonly world: World;
  readonly payments: Payments;
  readonly doors: readonly Door[];
  readonly partner: TestPartner;
}

async function runBlock(
  { world, payments, doors, partner }: Running,
  kind: BlockKind,
  count: number,
): Promise<BlockFigures> {
  const { requests, answer } = await aBlock(kind, { payments, partner, count });
  const before = world.cpuTimes();
  const startedAt = performance.now();
  await Promise.all(
    doors.map(async ({ port, load }, nth) => {
      const mine = requests.filter((_, index) => index % doors.length === nth);
      const inFlight = Math.floor(IN_FLIGHT / doors.length);
      const { statuses, unlike } = await load.run({
        port,
        inFlight,
        requests: mine,
        holding: answer.holding,
      });
      if (statuses.join() === answer.status && unlike === undefined) return;
      throw new Error(`not what is measured: ${statuses.join()} ${unlike ?? ''}`);
    }),
  );
  if (kind === 'confirm') await payments.untilTold();
  const seconds = (performance.now() - startedAt) / 1_000;
  if (kind === 'create') await untilStarted(payments.database);
  const spent = cpuBetween(before, world.cpuTimes());
  const each = [...spent].map(([name, ms]) => [partOf(name), ms / count] as const);
  return { perSecond: count / seconds, cpuMs: addUp(each) };
}

/** `api` and `api-2` are one part. */
function partOf(name: string): string {
  return name.replace(/-\d+$/, '');
}

function addUp(each: readonly (readonly [string, number])[]): CpuTimes {
  const sums = new Map<string, number>();
  for (const [name, ms] of each) sums.set(name, (sums.get(name) ?? 0) + ms);
  return sums;
}
