// Bench `slow-provider`, first part: captured payments a second through a provider that answers
// after seconds, against one that answers at once, with as many payments under way (architecture,
// section 8: at least 0.8; a confirm is answered, p50, within the provider's time and 0.3 s). The
// answers are timed at half of the rate that this machine reaches: with a fixed number under way
// they would show only that rate.
import { setTimeout as pause } from 'node:timers/promises';
import { cpuBetween, createCpuTotals } from '../figures/cpu-times';
import { atLeast, atMost, resultsOf } from '../figures/report';
import type { Bench, Findings } from '../figures/report';
import { CONTROL, measureInRounds, REFERENCE } from '../figures/rounds';
import { shuffled } from '../load/random';
import { confirmRequest } from '../load/requests';
import type { Stand } from '../stand';
import { confirmSteadily, failedOf, spreadOf } from './steady-confirms';
import { openTwoCorridors, type TwoCorridors } from './two-corridors';

interface Wait {
  readonly paceMs: number;
  /** Enough that the provider's time alone does not bound the rate. */
  readonly underWay: number;
}

const WAITS: readonly Wait[] = [
  { paceMs: 500, underWay: 32 },
  { paceMs: 3_000, underWay: 160 },
  { paceMs: 10_000, underWay: 400 },
];
const QUICK_WAIT: Wait = { paceMs: 500, underWay: 8 };
/** The rate is counted after the first payments are captured, while others are under way. */
const SETTLES_MS = 2_000;
const COUNTED_MS = 6_000;
const PER_SECOND_MAX = 60;
const ANSWERS_TIMED_SECONDS = 20;
const TARGET = 0.8;
const ANSWERED_WITHIN_MS = 300;
const BOUNDS = { roundsMin: 5, roundsMax: 8, timeoutMs: 420_000 };

export const slowProvider: readonly Bench[] = WAITS.map((wait) => ({
  name: 'slow-provider',
  settings: {
    waits: WAITS,
    counted_ms: COUNTED_MS,
    reference: 'the other corridor of the same worker, whose provider answers at once',
    ours: 'a provider that executes and answers an order that much later, and a query at once',
  },
  run: async (stand) => [await measure(stand.isQuick ? QUICK_WAIT : wait, stand)],
}));

async function measure(wait: Wait, stand: Stand): Promise<Findings> {
  const { paceMs, underWay } = wait;
  const title = `slow-provider: ${String(paceMs / 1_000)} s, ${String(underWay)} under way`;
  const setup = await openTwoCorridors(stand);
  await setup.setPace(paceMs);
  const cpuTotals = createCpuTotals(title);
  const sides = { [REFERENCE]: 0, ours: paceMs, [CONTROL]: 0 };
  const measureRound = async () => {
    const rates = new Map<string, number>();
    for (const [name, sidePaceMs] of shuffled(Object.entries(sides), stand.random)) {
      const block = await confirmBlock(setup, { paceMs: sidePaceMs, underWay }, stand);
      cpuTotals.add(name, block.requests, block.cpu);
      rates.set(name, block.perSecond);
    }
    return rates;
  };
  // The first round meets cold compilers.
  await confirmBlock(setup, { paceMs: 0, underWay }, stand);
  await confirmBlock(setup, wait, stand);
  const readings = await measureInRounds({ title, measureRound, bounds: BOUNDS }, stand);
  const perSecond = (readings.get('ours')?.reference ?? PER_SECOND_MAX) / 2;
  const confirmed = await confirmPaced(setup, perSecond, stand);
  const answered = spreadOf(title, `confirms, ${perSecond.toFixed(0)} a second`, confirmed);
  const p50Ms = Math.ceil(answered.p50_us / 1_000);
  return {
    results: resultsOf(readings, (side) => `${title}, ${side}, payments/s`, atLeast(TARGET)),
    counters: [
      atMost(`${title}, confirm answered, p50, ms`, p50Ms, paceMs + ANSWERED_WITHIN_MS),
      atMost(`${title}, confirms not answered 200`, failedOf(confirmed), 0),
    ],
    percentiles: [answered],
    cpu: cpuTotals.costs(),
  };
}

/** Keeps that many payments under way, and counts captures a second while they are. */
export async function confirmBlock(setup: TwoCorridors, { paceMs, underWay }: Wait, stand: Stand) {
  const { world, isQuick } = stand;
  const countedMs = isQuick ? COUNTED_MS / 6 : COUNTED_MS;
  const settlesMs = paceMs + SETTLES_MS;
  const count = underWay + Math.ceil((PER_SECOND_MAX * (settlesMs + countedMs)) / 1_000);
  const begun = await setup.begin(paceMs === 0 ? 'healthy' : 'slow', count);
  const requests = begun.map(confirmRequest);
  const before = world.cpuTimes();
  // What is answered 503 on a full machine is captured all the same.
  const sending = world.load.run({ port: setup.port, inFlight: underWay, requests });
  await pause(settlesMs);
  const [startedAt, captured] = [performance.now(), await setup.countCaptured()];
  await pause(countedMs);
  const counted = (await setup.countCaptured()) - captured;
  const perSecond = (counted * 1_000) / (performance.now() - startedAt);
  await sending;
  await setup.untilDelivered();
  return { perSecond, requests: count, cpu: cpuBetween(before, world.cpuTimes()) };
}

async function confirmPaced(setup: TwoCorridors, perSecond: number, { isQuick }: Stand) {
  const seconds = isQuick ? ANSWERS_TIMED_SECONDS / 10 : ANSWERS_TIMED_SECONDS;
  const payments = await setup.begin('slow', Math.ceil(perSecond * seconds));
  const confirms = confirmSteadily({ port: setup.port, perSecond, payments });
  await pause(seconds * 1_000);
  const confirmed = await confirms.stop();
  await setup.untilDelivered();
  return confirmed;
}
