// Bench `confirm-captured`: from a confirm to `captured`, with its webhook, against a bare workflow
// of three empty activities on the same Temporal server (architecture, section 8: p50 at most 0.75
// times, throughput at 32 in flight at least 1.05).
import { eachMadeBy, COMPLETED_WORKFLOW_KB, type Side } from '../figures/comparison';
import { compareLatency, type Pace } from '../load/latency';
import { atLeast, noSlowerThan, type Bench } from '../figures/report';
import { toBytes } from '../load/requests';
import { openSystem } from '../system';
import { compareThroughput, type Volume } from '../load/throughput';
import type { World } from '../world';

const IN_FLIGHT = 32;
const TARGET = 1.05;
const SLOWER_AT_MOST = 0.75;
/** Long blocks, so that filling and emptying the pipeline hardly changes the rate. */
export const CONFIRM_VOLUME: Partial<Volume> = {
  blockMs: 2_000,
  blockRequestsMax: 400,
  laps: 1,
  firstBlockRequests: 64,
  warmUpMs: 10_000,
  bounds: { roundsMin: 15, roundsMax: 60, timeoutMs: 420_000 },
};
/** Far below the capacity of either side, so that a time is that of one payment. */
const PACE: Pace = {
  perSecond: 10,
  blockRequests: 15,
  bounds: { roundsMin: 15, roundsMax: 60, timeoutMs: 420_000 },
};

export const confirmCaptured: Bench = {
  name: 'confirm-captured',
  settings: {
    in_flight: IN_FLIGHT,
    block_ms: CONFIRM_VOLUME.blockMs,
    per_second: PACE.perSecond,
    reference: 'a workflow of three empty activities, started and awaited over node:http',
    ours: 'API and worker; a provider and an endpoint that answer at once; until every webhook is delivered',
  },
  async run(stand) {
    const { world } = stand;
    const reference = await startBare(world);
    const system = await openSystem(world);
    const ours = system.confirms([await system.onboard('siam-travel')]);
    const comparison = (unit: string) => ({
      ...{ title: 'confirm-captured', inFlight: IN_FLIGHT, reference, ours },
      nameOf: (side: string) => `confirm-captured: ${side}, ${unit}`,
    });
    const rates = await compareThroughput(
      { ...comparison('payments/s'), answer: CONFIRMED },
      atLeast(TARGET),
      stand,
      CONFIRM_VOLUME,
    );
    const times = await compareLatency(
      { ...comparison('p50, µs'), answer: CAPTURED },
      noSlowerThan(SLOWER_AT_MOST),
      PACE,
      stand,
    );
    return [times, rates];
  },
};

/**
 * Requires `captured`: a confirm that ran into its wait limit answers before its payment is done.
 */
export const CAPTURED = { status: '200', contains: '"status":"captured"' };
/**
 * Accepts any status: a throughput waits for every payment and its webhook, so an early answer
 * gains nothing.
 */
export const CONFIRMED = { status: '200', contains: '"status":"' };

async function startBare(world: World): Promise<Side> {
  const temporal = await world.temporal();
  const env = { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: temporal.namespace };
  await world.startReference('bare-flow-worker.ts', env);
  return {
    port: await world.startReference('bare-flow-starter.ts', env),
    prepare: eachMadeBy(() =>
      toBytes({ method: 'POST', path: '/', headers: { 'Content-Length': '0' } }),
    ),
    leavesKb: COMPLETED_WORKFLOW_KB,
  };
}
