// Bench `confirm-captured`: from a confirm to `captured`, with its webhook, against a bare workflow of three empty activities on the
// same Temporal server (architecture, section 8: p50 at most 1.1 times, throughput at 32 in flight at least 0.8).
import { eachMadeBy, ENDED_RUN_KB, type Comparison, type Side } from './comparison';
import { compareLatency, type Pace } from './latency';
import { openPartners } from './partners';
import { atLeast, noSlowerThan, resultsOf } from './report';
import { toBytes } from './requests';
import type { Bench, Stand } from './stand';
import { openSystem } from './system';
import { compareThroughput, type Volume } from './throughput';

const IN_FLIGHT = 32;
const TARGET = 0.8;
const SLOWER_AT_MOST = 1.1;
/** Long enough that filling and emptying the pipeline weighs little. */
export const CONFIRM_VOLUME: Partial<Volume> = {
  blockMs: 2_000,
  blockRequestsMax: 400,
  laps: 1,
  firstBlockRequests: 64,
  warmUpMs: 10_000,
  bounds: { roundsMin: 15, roundsMax: 60, timeoutMs: 420_000 },
};
/** Far below what either side takes, so that times are those of one payment. */
const PACE: Pace = {
  perSecond: 10,
  blockRequests: 15,
  warmUpRounds: 2,
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
    const scene = await openScene(stand);
    const compared = { reference: scene.bare, ours: { ours: scene.ours }, inFlight: IN_FLIGHT };
    const comparison: Comparison = { title: 'confirm-captured', ...compared, answer: CAPTURED };
    const rates = await compareThroughput(
      { ...comparison, answer: CONFIRMED },
      stand,
      CONFIRM_VOLUME,
    );
    const times = await compareLatency(comparison, PACE, stand);
    await scene.close();
    return {
      results: [
        ...resultsOf(times.readings, nameOf('p50, µs'), (name, reading, isControlled) =>
          noSlowerThan(name, reading, { factor: SLOWER_AT_MOST, isControlled }),
        ),
        ...resultsOf(rates.readings, nameOf('payments/s'), (name, reading, isControlled) =>
          atLeast(name, reading, { target: TARGET, isControlled }),
        ),
      ],
      counters: [],
      percentiles: times.percentiles,
      cpu: rates.cpu,
    };
  },
};

/** One that had run out of patience would be answered faster than its payment. */
export const CAPTURED = { status: '200', holding: '"status":"captured"' };
/** A throughput waits for every payment and its webhook, so an answer that ran out of patience saves nothing. */
export const CONFIRMED = { status: '200', holding: '"status":"' };

function nameOf(unit: string) {
  return (side: string) => `confirm-captured: ${side}, ${unit}`;
}

async function openScene({ world }: Stand) {
  const endpoints = `http://127.0.0.1:${await world.startReference('instant-endpoints.ts')}`;
  const temporal = await world.startTemporal();
  const env = { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: temporal.namespace };
  await world.startReference('bare-flow-worker.ts', env);
  const bare: Side = {
    port: await world.startReference('bare-flow-starter.ts', env),
    prepare: eachMadeBy(bareRequest),
    leavesKb: ENDED_RUN_KB,
  };
  const partners = await openPartners(world);
  const system = await openSystem({ world, partners, temporal, endpoints });
  const partner = await system.onboard('siam-travel');
  return {
    bare,
    ours: system.confirms([partner]),
    async close() {
      partners.close();
      await system.close();
    },
  };
}

function bareRequest(): Uint8Array {
  return toBytes({ method: 'POST', path: '/', headers: { 'Content-Length': '0' } });
}
