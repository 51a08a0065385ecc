// Bench `create`: against raw node:http with one INSERT, and against the same with one StartWorkflow awaited (architecture, section
// 8: at least 0.6 and 1.0 of their throughput at 32 in flight).
import { eachMadeBy, WAITING_RUN_KB, type Side } from './comparison';
import { compareLatency, type Pace } from './latency';
import { openPartners } from './partners';
import { atLeast, atMost, resultsOf, type Counter, type Findings } from './report';
import { createRequest } from './requests';
import type { Bench, Stand } from './stand';
import { startedOrLeft } from './starts';
import { compareThroughput, type Volume } from './throughput';

export const CREATED = { status: '201', holding: '"status":"created"' };
const IN_FLIGHT = 32;
/** Each block of ours is a burst. An API is warm when some nine thousand have been sent. */
export const BURST_VOLUME = {
  laps: 1,
  uncountedShare: 0.25,
  firstBlockRequests: 900,
  warmUpMs: 1_500,
  bounds: { roundsMin: 15, roundsMax: 100, timeoutMs: 600_000 },
} satisfies Partial<Volume>;
const PACE: Pace = {
  perSecond: 100,
  // Two seconds, so that the starts of the first are under way beside the answers of the last.
  blockRequests: 200,
  warmUpRounds: 2,
  bounds: { roundsMin: 15, roundsMax: 40, timeoutMs: 300_000 },
};
/** `burst`: fewer runs than the API keeps waiting, so that it starts each of them, afterwards. */
const REFERENCES = {
  'node:http and INSERT': {
    isStarting: false,
    target: 0.6,
    blockMs: 6_000,
    burst: 900,
    timeoutMs: 1_500_000,
  },
  'node:http, INSERT and StartWorkflow': {
    isStarting: true,
    target: 1,
    blockMs: 500,
    burst: 450,
    timeoutMs: BURST_VOLUME.bounds.timeoutMs,
  },
} as const;

const NAME = 'create';
const SETTINGS = {
  in_flight: IN_FLIGHT,
  requests_in_a_burst: Object.values(REFERENCES).map(({ burst }) => burst),
  per_second: PACE.perSecond,
  reference: 'node:http in its own process, one INSERT; and the same with one StartWorkflow',
  ours: 'API; the runs of a burst are started after it, waited for, and in its CPU but not in its rate; no worker',
};

/** One for each reference and one of times, each with a Temporal server of its own: its memory fills with runs. */
export const create: readonly Bench[] = [
  ...Object.entries(REFERENCES).map(([title, reference]) => ({
    name: NAME,
    settings: SETTINGS,
    run: (stand: Stand) => compareWith({ title: `create: against ${title}`, ...reference }, stand),
  })),
  { name: NAME, settings: SETTINGS, run: measureTimes },
];

interface Reference {
  readonly title: string;
  readonly isStarting: boolean;
  readonly target: number;
  /** Of the reference. As long as that its rate varies by a tenth from one to the next. */
  readonly blockMs: number;
  readonly burst: number;
  readonly timeoutMs: number;
}

async function compareWith(
  { title, isStarting, target, blockMs, burst, timeoutMs }: Reference,
  stand: Stand,
): Promise<Findings> {
  const scene = await openScene(stand);
  const reference = isStarting ? scene.insertAndStart : scene.insert;
  const comparison = { title, reference, ours: { ours: scene.ours }, inFlight: IN_FLIGHT };
  const bounds = { ...BURST_VOLUME.bounds, timeoutMs };
  const volume = { ...BURST_VOLUME, bounds, blockMs, blockRequestsMax: burst };
  const rates = await compareThroughput({ ...comparison, answer: CREATED }, stand, volume);
  const results = resultsOf(
    rates.readings,
    (side) => `${title}, ${side}, requests/s`,
    (name, reading, isControlled) => atLeast(name, reading, { target, isControlled }),
  );
  return { results, counters: [scene.close(title)], cpu: rates.cpu };
}

async function measureTimes(stand: Stand): Promise<Findings> {
  const scene = await openScene(stand);
  const title = NAME;
  const comparison = { title, reference: scene.insert, ours: { ours: scene.ours } };
  const paced = { ...comparison, inFlight: IN_FLIGHT, answer: CREATED };
  const { percentiles } = await compareLatency(paced, PACE, stand);
  return { results: [], counters: [scene.close(`${title}: times`)], percentiles };
}

async function openScene({ world }: Stand) {
  const temporal = await world.startTemporal();
  const partners = await openPartners(world);
  const partner = await partners.onboard({ name: 'siam-travel' });
  const prepare = eachMadeBy(() => createRequest(partner));
  const env = { DATABASE_URL: world.databaseUrl };
  const starting = { ...env, TEMPORAL_ADDRESS: temporal.address };
  let left = 0;
  /** It takes twenty thousand rows a block where ours takes nine hundred: both insert into small tables. */
  const empty = async () => {
    await world.database.query({ text: 'truncate bare_intents' });
  };
  const ours: Side = {
    port: await world.startApi({ temporal }),
    prepare,
    leavesKb: WAITING_RUN_KB,
    settle: async () => {
      left += await startedOrLeft(world.database);
    },
  };
  return {
    ours,
    insert: { port: await world.startReference('bare-create.ts', env), prepare, settle: empty },
    insertAndStart: {
      port: await world.startReference('bare-create.ts', starting),
      prepare,
      leavesKb: WAITING_RUN_KB,
    },
    /** @returns how many starts the API gave up */
    close(title: string): Counter {
      partners.close();
      return atMost(`${title}, starts given up, for a reconciler`, left, 0);
    },
  };
}
