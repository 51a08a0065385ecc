// Bench `create`: sustained creates, the starts of their workflows included, against a bare Koa route with one INSERT and one
// StartWorkflow that it awaits (architecture, section 8: at least 1.0 of its throughput at 32 in flight).
import { eachMadeBy, WAITING_RUN_KB, type Side } from './comparison';
import { compareLatency, type Pace } from './latency';
import { openPartners } from './partners';
import { atLeast, atMost, resultsOf } from './report';
import { createRequest } from './requests';
import type { Bench, Stand } from './stand';
import { startedOrLeft } from './starts';
import { compareThroughput, type Volume } from './throughput';

export const CREATED = { status: '201', holding: '"status":"created"' };
const IN_FLIGHT = 32;
/** Fewer starts than the API keeps waiting, so that it starts each of them. */
export const CREATE_VOLUME = {
  laps: 1,
  uncountedShare: 0.25,
  blockMs: 500,
  blockRequestsMax: 900,
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
const TARGET = 1;
const NAME = 'create';

export const create: Bench = {
  name: NAME,
  settings: {
    in_flight: IN_FLIGHT,
    per_second: PACE.perSecond,
    reference: 'bare Koa in its own process: one INSERT, then one StartWorkflow, awaited',
    ours: 'API; a create counts until its workflow is started; no worker',
  },
  async run(stand) {
    const scene = await openScene(stand);
    const comparison = {
      ...{ title: NAME, reference: scene.reference, ours: { ours: scene.ours } },
      ...{ inFlight: IN_FLIGHT, answer: CREATED },
    };
    const { readings, cpu } = await compareThroughput(comparison, stand, CREATE_VOLUME);
    const results = resultsOf(
      readings,
      (side) => `create, ${side}, requests/s`,
      (name, reading, isControlled) => atLeast(name, reading, { target: TARGET, isControlled }),
    );
    const { percentiles } = await compareLatency(comparison, PACE, stand);
    return { results, counters: [scene.close()], cpu, percentiles };
  },
};

async function openScene({ world }: Stand) {
  const temporal = await world.startTemporal();
  const partners = await openPartners(world);
  const partner = await partners.onboard({ name: 'siam-travel' });
  const prepare = eachMadeBy(() => createRequest(partner));
  const env = { DATABASE_URL: world.databaseUrl, TEMPORAL_ADDRESS: temporal.address };
  let left = 0;
  const ours: Side = {
    port: await world.startApi({ temporal }),
    prepare,
    leavesKb: WAITING_RUN_KB,
    finish: async () => {
      left += await startedOrLeft(world.database);
    },
  };
  const reference: Side = {
    port: await world.startReference('bare-create.ts', env),
    prepare,
    leavesKb: WAITING_RUN_KB,
  };
  return {
    ours,
    reference,
    /** @returns how many starts the API gave up */
    close() {
      partners.close();
      return atMost('create, starts given up, for a reconciler', left, 0);
    },
  };
}
