// Bench `create`: against raw node:http with one INSERT, and against the same with one StartWorkflow awaited (architecture, section
// 8: at least 0.6 and 1.0 of their throughput at 32 in flight).
import { eachMadeBy, type Side } from './comparison';
import type { CpuCost } from './cpu-times';
import { compareLatency, type Pace } from './latency';
import { openPartners } from './partners';
import { atLeast, atMost, resultsOf, type Result } from './report';
import { createRequest } from './requests';
import type { Bench, Stand } from './stand';
import { startedOrLeft } from './starts';
import { compareThroughput, type Volume } from './throughput';

export const CREATED = { status: '201', holding: '"status":"created"' };
const IN_FLIGHT = 32;
/** A block's runs are fewer than the API keeps waiting, so that it starts each of them. */
export const CREATE_VOLUME: Partial<Volume> = {
  blockMs: 250,
  blockRequestsMax: 400,
  firstBlockRequests: 200,
  bounds: { roundsMin: 15, roundsMax: 100, timeoutMs: 300_000 },
};
const PACE: Pace = {
  perSecond: 100,
  blockRequests: 100,
  warmUpRounds: 2,
  bounds: { roundsMin: 15, roundsMax: 40, timeoutMs: 300_000 },
};
const REFERENCES = {
  'node:http and INSERT': { isStarting: false, target: 0.6 },
  'node:http, INSERT and StartWorkflow': { isStarting: true, target: 1 },
} as const;

export const create: Bench = {
  name: 'create',
  settings: {
    in_flight: IN_FLIGHT,
    block_ms: CREATE_VOLUME.blockMs,
    per_second: PACE.perSecond,
    reference: 'node:http in its own process, one INSERT; and the same with one StartWorkflow',
    ours: 'API with its starts of runs, which are waited for after each block; no worker',
  },
  async run(stand) {
    const scene = await openScene(stand);
    const results: Result[] = [];
    const cpu: CpuCost[] = [];
    for (const [title, { isStarting, target }] of Object.entries(REFERENCES)) {
      const reference = isStarting ? scene.insertAndStart : scene.insert;
      const sides = { reference, ours: { ours: scene.ours } };
      const about = { title: `create: against ${title}`, inFlight: IN_FLIGHT, answer: CREATED };
      const comparison = { ...about, ...sides };
      const rates = await compareThroughput(comparison, stand, CREATE_VOLUME);
      cpu.push(...rates.cpu);
      results.push(
        ...resultsOf(
          rates.readings,
          (side) => `${about.title}, ${side}, requests/s`,
          (name, reading, isControlled) => atLeast(name, reading, { target, isControlled }),
        ),
      );
    }
    const sides = { reference: scene.insert, ours: { ours: scene.ours } };
    const paced = { title: 'create', ...sides, inFlight: IN_FLIGHT, answer: CREATED };
    const { percentiles } = await compareLatency(paced, PACE, stand);
    scene.close();
    const given = atMost('create: starts given up, for a reconciler', scene.left(), 0);
    return { results, counters: [given], percentiles, cpu };
  },
};

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
    settle: async () => {
      left += await startedOrLeft(world.database);
    },
  };
  return {
    ours,
    insert: { port: await world.startReference('bare-create.ts', env), prepare },
    insertAndStart: { port: await world.startReference('bare-create.ts', starting), prepare },
    /** Starts that the API gave up. */
    left: () => left,
    close: () => {
      partners.close();
    },
  };
}
