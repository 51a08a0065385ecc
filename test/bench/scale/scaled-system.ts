// The product with a growing number of API and worker processes, and a load process for each API.
import { createDatabase, type Database } from '../../../src/postgres/database';
import type { TestPartner } from '../../support/payments/partner';
import { eachMadeBy, sendBlock } from '../figures/comparison';
import { CONFIRMED } from '../benches/confirm-captured';
import { cpuBetween, type CpuTimes } from '../figures/cpu-times';
import { CREATED } from '../benches/create';
import { startLoad, type Load } from '../load/load';
import { openPayments, untilStarted, type Payments } from '../load/payments';
import { confirmRequest, createRequest } from '../load/requests';
import type { World } from '../world';
import type { TemporalOnPostgres } from './temporal-server';

export type BlockKind = 'create' | 'confirm';

export interface BlockFigures {
  readonly perSecond: number;
  /** Milliseconds of CPU for one request, by part. */
  readonly cpuMs: CpuTimes;
}

/** A measured system: the product, or its reference. */
export interface Measurable {
  /**
   * Sends that many creates, or confirms of waiting payments. Returns when all their work is done.
   */
  runBlock(kind: BlockKind, count: number): Promise<BlockFigures>;
}

export interface ScaledSystem extends Measurable {
  readonly database: Database;
  /** The database of Temporal's executions. */
  readonly executions: Database;
  addApi(): Promise<void>;
  addWorker(): Promise<void>;
}

/** The connections to all API processes together. */
export const IN_FLIGHT = 32;

interface ApiProcess {
  readonly port: number;
  readonly load: Load;
}

export async function openScaled(
  world: World,
  temporal: TemporalOnPostgres,
): Promise<ScaledSystem> {
  const endpoints = await world.endpoints();
  const payments = await openPayments(world, world.databaseUrl, temporal);
  const executions = createDatabase({
    url: temporal.databaseUrl,
    poolSize: 1,
    onLostConnection: () => undefined,
  });
  world.atTheEnd(() => executions.close());
  const partner = await world.onboard({
    name: 'siam-travel',
    webhookUrl: `${endpoints}/webhooks`,
  });
  const apis: ApiProcess[] = [];
  return {
    database: payments.database,
    executions,
    async addApi() {
      const load = startLoad();
      world.atTheEnd(load.close);
      apis.push({ port: await world.startApi({ temporal }), load });
    },
    addWorker: () => world.startWorker(temporal, { providerUrl: endpoints }),
    runBlock: (kind, count) => runBlock({ world, payments, apis, partner }, kind, count),
  };
}

interface Running {
  readonly world: World;
  readonly payments: Payments;
  readonly apis: readonly ApiProcess[];
  readonly partner: TestPartner;
}

async function runBlock(running: Running, kind: BlockKind, count: number): Promise<BlockFigures> {
  const { world, payments, apis } = running;
  const requests = await (kind === 'create' ? creates : confirms)(running, count);
  const send = () =>
    Promise.all(
      apis.map(({ port, load }, nth) => {
        const block = {
          port,
          inFlight: Math.floor(IN_FLIGHT / apis.length),
          requests: requests.filter((_, index) => index % apis.length === nth),
          answer: kind === 'create' ? CREATED : CONFIRMED,
        };
        return sendBlock(block, { world: { load } });
      }),
    );
  return timeBlock(world, count, {
    async send() {
      await send();
      if (kind === 'confirm') await payments.untilDelivered();
    },
    settle: () => (kind === 'create' ? untilStarted(payments.database) : Promise.resolve()),
  });
}

interface Work {
  /** The work that the throughput includes. */
  readonly send: () => Promise<void>;
  /** Later work, of which only the CPU counts. */
  readonly settle: () => Promise<void>;
}

export async function timeBlock(
  world: World,
  count: number,
  { send, settle }: Work,
): Promise<BlockFigures> {
  const before = world.cpuTimes();
  const startedAt = performance.now();
  await send();
  const seconds = (performance.now() - startedAt) / 1_000;
  await settle();
  const cpuMs = new Map<string, number>();
  for (const [name, ms] of cpuBetween(before, world.cpuTimes())) {
    // `api` and `api-2` are one part.
    const part = name.replace(/-\d+$/, '');
    cpuMs.set(part, (cpuMs.get(part) ?? 0) + ms / count);
  }
  return { perSecond: count / seconds, cpuMs };
}

function creates({ partner }: Running, count: number) {
  return eachMadeBy(() => createRequest(partner))(count);
}

async function confirms({ payments, partner }: Running, count: number) {
  const begun = await payments.begin([partner], count);
  return begun.map(({ intent }) => confirmRequest({ partner, intent }));
}
