// Bench `webhook-backlog`: how fast a worker drains 10 000 events, and what a dead endpoint takes from the others (architecture,
// section 8: at least 1 000 a second, and 0.8 of the rate without it).
import { until } from '../../../src/dev/until';
import { cpuBetween, openCpuBook } from '../figures/cpu-times';
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
    const scene = await openScene(stand);
    const slowest = await measureDrains(scene, stand);
    const beside = await compareBesideDead(scene, stand);
    const counters = [
      noLessThan('webhook-backlog: drained, events/s, the slowest', slowest, DRAINED_PER_SECOND),
      atMost('webhook-backlog: events posted more than once', scene.postsBeyondEvents(), 0),
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

type Scene = Awaited<ReturnType<typeof openScene>>;

async function openScene({ world }: Stand) {
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
  /** Until all is recorded. */
  const settle = async () => {
    if (!(await until(queue.isIdle, bounds))) throw new Error('a lease is held for a minute');
  };
  return {
    ...{ endpoints, queue, reset, settle },
    /** Events a second, once that many have come. */
    async rate(wanted: number) {
      const hasAll = async () => (await post('stats')).events >= wanted;
      if (!(await until(hasAll, bounds))) throw new Error('the backlog is not drained in a minute');
      const { events, posts, elapsed_ms: elapsedMs } = await post('stats');
      repeated += posts - events;
      return (events * 1_000) / elapsedMs;
    },
    /** Takes away what a dead endpoint was not sent. */
    async bury() {
      await reset(0);
      await queue.empty();
      await settle();
    },
    postsBeyondEvents: () => repeated,
  };
}

interface Drain {
  /** How many endpoints, the first ones, answer nothing. */
  readonly silent: number;
  readonly endpoints: readonly string[];
}

async function fill(scene: Scene, { silent, endpoints }: Drain): Promise<void> {
  await scene.reset(silent);
  await scene.queue.fill(endpoints, EVENTS / scene.endpoints.length);
}

/** The slowest of some drains of all endpoints, after one that is not counted. */
async function measureDrains(scene: Scene, { isQuick, tell }: Stand): Promise<number> {
  const rates: number[] = [];
  for (let nth = 0; nth <= (isQuick ? 1 : DRAINS); nth += 1) {
    await fill(scene, { silent: 0, endpoints: scene.endpoints });
    rates.push(Math.floor(await scene.rate(EVENTS)));
    await scene.settle();
    tell(`drained ${String(rates.at(-1))} events a second`);
  }
  return Math.min(...rates.slice(1));
}

/** The first endpoint takes what it is sent and answers nothing; its backlog is as long as any. */
async function compareBesideDead(scene: Scene, stand: Stand): Promise<Findings> {
  const { world, random } = stand;
  const title = 'nine beside a dead one';
  const alive = scene.endpoints.slice(1);
  const events = (EVENTS * alive.length) / scene.endpoints.length;
  const alone = { silent: 0, endpoints: alive };
  const sides = {
    [REFERENCE]: alone,
    ours: { silent: 1, endpoints: scene.endpoints },
    [CONTROL]: alone,
  };
  const book = openCpuBook(`webhook-backlog: ${title}`);
  const measureRound = async () => {
    const rates = new Map<string, number>();
    for (const [name, side] of thereAndBack(Object.entries(sides), 1, random)) {
      await fill(scene, side);
      const before = world.cpuTimes();
      const rate = await scene.rate(events);
      // What is left of a drain is paid for by the drain, but where a dead endpoint holds leases until they are over.
      if (side.silent === 0) await scene.settle();
      book.add(name, events, cpuBetween(before, world.cpuTimes()));
      if (side.silent > 0) await scene.bury();
      // Of equal numbers of events: the rate of both together is the harmonic mean.
      const first = rates.get(name);
      rates.set(name, first === undefined ? rate : 2 / (1 / first + 1 / rate));
    }
    return rates;
  };
  const readings = await measureInRounds({ title, measureRound, bounds: BOUNDS }, stand);
  const nameOf = (side: string) => `webhook-backlog: ${title}, ${side}, events/s`;
  return { results: resultsOf(readings, nameOf, atLeast(TARGET)), cpu: book.costs() };
}
