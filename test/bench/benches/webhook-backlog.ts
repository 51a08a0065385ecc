// Bench `webhook-backlog`: how fast a worker drains 10 000 events, alone and beside a dead endpoint
// (architecture, section 8: at least 1 000 a second, and 0.8 of the rate without the dead
// endpoint).
import { until } from '../../../src/dev/until';
import { cpuBetween, createCpuTotals } from '../figures/cpu-times';
import {
  atLeast,
  atMost,
  noLessThan,
  resultsOf,
  type Findings,
  type Bench,
} from '../figures/report';
import { CONTROL, measureInRounds, REFERENCE, thereAndBack } from '../figures/rounds';
import type { Stand } from '../stand';
import { createWebhookQueue, onboardEndpoints } from './webhook-queue';

const EVENTS = 10_000;
const DRAINS = 5;
const DRAINED_PER_SECOND = 1_000;
const BOUNDS = { roundsMin: 15, roundsMax: 40, timeoutMs: 700_000 };
const DRAINED_WITHIN_MS = 60_000;
const READ_EVERY_MS = 50;
const TARGET = 0.8;

export const webhookBacklog: Bench = {
  name: 'webhook-backlog',
  settings: {
    events: EVENTS,
    endpoints: 10,
    drains: DRAINS,
    reference: 'the same without the dead endpoint',
    ours: 'src/main/worker.ts over Postgres and a Temporal dev server',
    rate: 'from the first POST that the receivers get to the last',
  },
  async run(stand) {
    const setup = await startSetup(stand);
    const slowest = await measureDrains(setup, stand);
    const beside = await compareBesideDead(setup, stand);
    const counters = [
      noLessThan('webhook-backlog: drained, events/s, the slowest', slowest, DRAINED_PER_SECOND),
      atMost('webhook-backlog: events posted more than once', setup.postsBeyondEvents(), 0),
    ];
    return [beside, { counters }];
  },
};

interface Stats {
  readonly ports: readonly number[];
  readonly events: number;
  readonly posts: number;
  readonly elapsed_ms: number;
}

type Setup = Awaited<ReturnType<typeof startSetup>>;

async function startSetup({ world }: Stand) {
  const receivers = `http://127.0.0.1:${String(await world.startReference('webhook-receivers.ts'))}`;
  const post = async (path: string) => {
    const reply = await fetch(`${receivers}/${path}`, { method: 'POST', body: '{}' });
    return (await reply.json()) as Stats;
  };
  const { ports } = await post('stats');
  const endpoints = await onboardEndpoints(world, ports);
  await world.startWorker(await world.temporal());
  const queue = createWebhookQueue(world);
  const bounds = { timeoutMs: DRAINED_WITHIN_MS, everyMs: READ_EVERY_MS };
  let repeated = 0;
  const reset = (silent: number) => post(`reset?silent=${String(silent)}`);
  /** Waits until every sent event is recorded. */
  const settle = async () => {
    if (!(await until(queue.isIdle, bounds))) throw new Error('a lease is held for a minute');
  };
  return {
    ...{ endpoints, queue, reset, settle },
    /** Waits for that many events. @returns events a second */
    async rate(wanted: number) {
      const hasAll = async () => (await post('stats')).events >= wanted;
      if (!(await until(hasAll, bounds))) throw new Error('the backlog is not drained in a minute');
      const { events, posts, elapsed_ms: elapsedMs } = await post('stats');
      repeated += posts - events;
      return (events * 1_000) / elapsedMs;
    },
    /** Discards the events that the dead endpoint was not sent. */
    async discardBacklog() {
      await reset(0);
      await queue.empty();
      await settle();
    },
    postsBeyondEvents: () => repeated,
  };
}

interface Drain {
  /** The number of endpoints, from the first one on, that answer nothing. */
  readonly silent: number;
  readonly endpoints: readonly string[];
}

async function fill(setup: Setup, { silent, endpoints }: Drain): Promise<void> {
  await setup.reset(silent);
  await setup.queue.fill(endpoints, EVENTS / setup.endpoints.length);
}

/** @returns the rate of the slowest drain. The first drain is not counted. */
async function measureDrains(setup: Setup, { isQuick, printProgress }: Stand): Promise<number> {
  const rates: number[] = [];
  for (let nth = 0; nth <= (isQuick ? 1 : DRAINS); nth += 1) {
    await fill(setup, { silent: 0, endpoints: setup.endpoints });
    rates.push(Math.floor(await setup.rate(EVENTS)));
    await setup.settle();
    printProgress(`drained ${String(rates.at(-1))} events a second`);
  }
  return Math.min(...rates.slice(1));
}

/**
 * The dead endpoint is the first one: it accepts requests and never answers. All backlogs are
 * equally long.
 */
async function compareBesideDead(setup: Setup, stand: Stand): Promise<Findings> {
  const { world, random } = stand;
  const title = 'nine beside a dead one';
  const alive = setup.endpoints.slice(1);
  const events = (EVENTS * alive.length) / setup.endpoints.length;
  const alone = { silent: 0, endpoints: alive };
  const sides = {
    [REFERENCE]: alone,
    ours: { silent: 1, endpoints: setup.endpoints },
    [CONTROL]: alone,
  };
  const cpuTotals = createCpuTotals(`webhook-backlog: ${title}`);
  const measureRound = async () => {
    const rates = new Map<string, number>();
    for (const [name, side] of thereAndBack(Object.entries(sides), 1, random)) {
      await fill(setup, side);
      const before = world.cpuTimes();
      const rate = await setup.rate(events);
      // The CPU of the rest of a drain counts for it, unless a dead endpoint holds leases for long.
      if (side.silent === 0) await setup.settle();
      cpuTotals.add(name, events, cpuBetween(before, world.cpuTimes()));
      if (side.silent > 0) await setup.discardBacklog();
      // Both drains have equally many events, so their common rate is the harmonic mean.
      const first = rates.get(name);
      rates.set(name, first === undefined ? rate : 2 / (1 / first + 1 / rate));
    }
    return rates;
  };
  const readings = await measureInRounds({ title, measureRound, bounds: BOUNDS }, stand);
  const nameOf = (side: string) => `webhook-backlog: ${title}, ${side}, events/s`;
  return { results: resultsOf(readings, nameOf, atLeast(TARGET)), cpu: cpuTotals.costs() };
}
