// Bench `webhook-backlog`: how fast a worker drains 10 000 events, and what a dead endpoint takes from the others (architecture,
// section 8: at least 1 000 a second, and 0.8 of the rate without it).
import { until } from '../../src/dev/until';
import { cpuBetween, openCpuBook } from './cpu-times';
import { atLeast, atMost, controlResult, noLessThan, type Findings } from './report';
import { shuffled } from './random';
import {
  CONTROL,
  isControlled,
  measureInRounds,
  progressOf,
  REFERENCE,
  type Round,
} from './rounds';
import type { Bench, Stand } from './stand';
import { createWebhookQueue, onboardEndpoints } from './webhook-queue';

const EVENTS = 10_000;
const DRAINS = 5;
const DRAINED_PER_SECOND = 1_000;
const BOUNDS = { roundsMin: 15, roundsMax: 40, timeoutMs: 700_000 };
const QUICK_BOUNDS = { roundsMin: 1, roundsMax: 1, timeoutMs: 60_000 };
const DRAINED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;

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
    const repeated = scene.postsBeyondEvents();
    return {
      results: beside.results,
      counters: [
        noLessThan('webhook-backlog: drained, events/s, the slowest', slowest, DRAINED_PER_SECOND),
        atMost('webhook-backlog: events posted more than once', repeated, 0),
      ],
      cpu: beside.cpu,
    };
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
  const ask = async (url: string) => {
    const reply = await fetch(url, { method: 'POST', body: '{}' });
    return (await reply.json()) as Stats;
  };
  const { ports } = await ask(`${receivers}/stats`);
  const endpoints = await onboardEndpoints(world, ports);
  const temporal = await world.startTemporal();
  await world.startWorker(temporal);
  const queue = createWebhookQueue(world);
  let repeated = 0;
  const rateOf = ({ events, posts, elapsed_ms: elapsedMs }: Stats) => {
    repeated += posts - events;
    return (events * 1_000) / elapsedMs;
  };
  return {
    endpoints,
    queue,
    reset: (silent: number) => ask(`${receivers}/reset?silent=${String(silent)}`),
    /** Events a second, once that many have come. */
    async rate(events: number) {
      const hasAll = async () => (await ask(`${receivers}/stats`)).events >= events;
      const bounds = { timeoutMs: DRAINED_WITHIN_MS, everyMs: LOOK_EVERY_MS };
      if (!(await until(hasAll, bounds))) throw new Error('the backlog is not drained in a minute');
      return rateOf(await ask(`${receivers}/stats`));
    },
    /** Until all is recorded, so that what is left of a drain is paid for by the drain. */
    async settle() {
      const bounds = { timeoutMs: DRAINED_WITHIN_MS, everyMs: LOOK_EVERY_MS };
      if (!(await until(queue.isIdle, bounds))) throw new Error('a lease is held for a minute');
    },
    postsBeyondEvents: () => repeated,
  };
}

/** Every side twice a round, there and back, in an order drawn anew. */
async function measureSides(
  sides: Readonly<Record<string, () => Promise<number>>>,
  { random }: Stand,
): Promise<Round> {
  const there = shuffled(Object.keys(sides), random);
  const rates = new Map<string, number>();
  for (const name of [...there, ...there.toReversed()]) {
    const rate = (await sides[name]?.()) ?? Number.NaN;
    // Of equal numbers of events: the rate of both together is the harmonic mean.
    const before = rates.get(name);
    rates.set(name, before === undefined ? rate : 2 / (1 / before + 1 / rate));
  }
  return rates;
}

interface Side {
  readonly prepare: () => Promise<unknown>;
  /** What is counted; answers events a second. */
  readonly run: () => Promise<number>;
  readonly tidy?: () => Promise<unknown>;
}

/** The slowest of some drains of all endpoints, after one that is not counted. */
async function measureDrains(scene: Scene, { isQuick, tell }: Stand): Promise<number> {
  const perEndpoint = EVENTS / scene.endpoints.length;
  const drain = aDrain(scene, { endpoints: scene.endpoints, perEndpoint });
  const rates: number[] = [];
  for (let nth = 0; nth <= (isQuick ? 1 : DRAINS); nth += 1) {
    await drain.prepare();
    rates.push(Math.floor(await drain.run()));
    tell(`drained ${String(rates.at(-1))} events a second`);
  }
  return Math.min(...rates.slice(1));
}

interface Drain {
  readonly endpoints: readonly string[];
  readonly perEndpoint: number;
}

function aDrain(scene: Scene, { endpoints, perEndpoint }: Drain): Side {
  return {
    async prepare() {
      await scene.reset(0);
      await scene.queue.fill(endpoints, perEndpoint);
    },
    async run() {
      const rate = await scene.rate(endpoints.length * perEndpoint);
      await scene.settle();
      return rate;
    },
  };
}

/** The first endpoint takes what it is sent and answers nothing; its backlog is as long as any. */
async function compareBesideDead(scene: Scene, stand: Stand): Promise<Compared> {
  const perEndpoint = EVENTS / scene.endpoints.length;
  const alive = scene.endpoints.slice(1);
  const events = alive.length * perEndpoint;
  const alone = aDrain(scene, { endpoints: alive, perEndpoint });
  const ours: Side = {
    async prepare() {
      await scene.reset(1);
      await scene.queue.fill(scene.endpoints, perEndpoint);
    },
    async run() {
      return scene.rate(events);
    },
    async tidy() {
      await scene.reset(0);
      await scene.queue.empty();
      await scene.settle();
    },
  };
  return compare(
    {
      ...{ title: 'nine beside a dead one', target: 0.8, events },
      sides: { [REFERENCE]: alone, ours, [CONTROL]: alone },
    },
    stand,
  );
}

interface Comparison {
  readonly title: string;
  readonly target: number;
  /** Of each side, each time. */
  readonly events: number;
  readonly sides: Readonly<Record<string, Side>>;
}

type Compared = Required<Pick<Findings, 'results' | 'cpu'>>;

async function compare(
  { title, target, events, sides }: Comparison,
  stand: Stand,
): Promise<Compared> {
  const book = openCpuBook(`webhook-backlog: ${title}`);
  const counted = Object.entries(sides).map(([name, { prepare, run, tidy }]) => {
    const runCounted = async () => {
      await prepare();
      const before = stand.world.cpuTimes();
      const rate = await run();
      book.add(name, events, cpuBetween(before, stand.world.cpuTimes()));
      await tidy?.();
      return rate;
    };
    return [name, runCounted] as const;
  });
  const { bySide } = await measureInRounds({
    measureRound: () => measureSides(Object.fromEntries(counted), stand),
    watched: [],
    bounds: stand.isQuick ? QUICK_BOUNDS : BOUNDS,
    random: stand.random,
    tell: (readings) => {
      stand.tell(`${title}: ${progressOf(readings)}`);
    },
  });
  const judged = { target, isControlled: isControlled(bySide) };
  const results = [...bySide].map(([side, reading]) => {
    const name = `webhook-backlog: ${title}, ${side}, events/s`;
    return side === CONTROL
      ? controlResult(name, reading, judged.isControlled)
      : atLeast(name, reading, judged);
  });
  return { results, cpu: book.costs() };
}
