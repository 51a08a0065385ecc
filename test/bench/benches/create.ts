// Bench `create`: sustained creates, including the starts of their workflows, against a bare Koa
// route with one INSERT and one awaited StartWorkflow (architecture, section 8: at least 1.0 of its
// throughput at 32 in flight).
import { eachMadeBy, WAITING_WORKFLOW_KB, type Comparison } from '../figures/comparison';
import { compareLatency, type Pace } from '../load/latency';
import { startedOrLeft } from '../load/payments';
import { atLeast, atMost, type Bench } from '../figures/report';
import { createRequest } from '../load/requests';
import { compareThroughput, type Volume } from '../load/throughput';

export const CREATED = { status: '201', contains: '"status":"created"' };
const IN_FLIGHT = 32;
/**
 * Fewer starts than the start queue of the API holds, so that the API starts each workflow itself.
 */
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
  // Two seconds of requests, so that the workflow starts of early ones overlap with late answers.
  blockRequests: 200,
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
    const { world } = stand;
    const temporal = await world.temporal();
    const partner = await world.onboard({ name: 'siam-travel' });
    const shared = {
      prepare: eachMadeBy(() => createRequest(partner)),
      leavesKb: WAITING_WORKFLOW_KB,
    };
    const env = { DATABASE_URL: world.databaseUrl, TEMPORAL_ADDRESS: temporal.address };
    let left = 0;
    const finish = async () => {
      left += await startedOrLeft(world.database);
    };
    const comparison: Comparison = {
      ...{ title: NAME, inFlight: IN_FLIGHT, answer: CREATED },
      nameOf: (side) => `${NAME}, ${side}, requests/s`,
      ours: { ...shared, port: await world.startApi({ temporal }), finish },
      reference: { ...shared, port: await world.startReference('bare-create.ts', env) },
    };
    const rates = await compareThroughput(comparison, atLeast(TARGET), stand, CREATE_VOLUME);
    const times = await compareLatency(comparison, undefined, PACE, stand);
    const counters = [atMost('create, starts left to the workflow repairer', left, 0)];
    return [rates, times, { counters }];
  },
};
