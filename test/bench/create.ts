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
/** An API is warm when some nine thousand have been sent. */
const WARM_UP = { uncountedShare: 0.25, firstBlockRequests: 900, warmUpMs: 1_500 };
/**
 * A round is a burst: its blocks take less than the second after which the API starts their runs, which are fewer than it keeps
 * waiting. So short and so close together, both sides meet the same moment of the machine.
 */
export const BURST_VOLUME = {
  ...WARM_UP,
  blockMs: 60,
  blockRequestsMax: 225,
  laps: 1,
  withinMs: 900,
  bounds: { roundsMin: 15, roundsMax: 100, timeoutMs: 420_000 },
} satisfies Partial<Volume>;
/** A block is a burst: the reference's starts would meet those of ours. */
const STARTING_VOLUME = {
  ...WARM_UP,
  blockMs: 500,
  blockRequestsMax: 450,
  laps: 1,
  bounds: { roundsMin: 15, roundsMax: 100, timeoutMs: 420_000 },
} satisfies Partial<Volume>;
const PACE: Pace = {
  perSecond: 100,
  // Two seconds, so that the starts of the first are under way beside the answers of the last.
  blockRequests: 200,
  warmUpRounds: 2,
  bounds: { roundsMin: 15, roundsMax: 40, timeoutMs: 300_000 },
};
const REFERENCES = {
  'node:http and INSERT': { isStarting: false, target: 0.6, volume: BURST_VOLUME },
  'node:http, INSERT and StartWorkflow': { isStarting: true, target: 1, volume: STARTING_VOLUME },
} as const;

const NAME = 'create';
const SETTINGS = {
  in_flight: IN_FLIGHT,
  block_ms: BURST_VOLUME.blockMs,
  block_ms_beside_starts: STARTING_VOLUME.blockMs,
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
  readonly volume: Partial<Volume>;
}

async function compareWith(
  { title, isStarting, target, volume }: Reference,
  stand: Stand,
): Promise<Findings> {
  const scene = await openScene(stand);
  const reference = isStarting ? scene.insertAndStart : scene.insert;
  const comparison = { title, reference, ours: { ours: scene.ours }, inFlight: IN_FLIGHT };
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
    insert: { port: await world.startReference('bare-create.ts', env), prepare },
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
