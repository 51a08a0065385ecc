// Bench `slow-provider`, second part: confirms of a healthy corridor beside orders into one whose
// provider is slow or silent, against the same load with both healthy (architecture, section 8:
// rate at least 0.9, p50 at most 1.2 times, p99 at most 1.5 times). A machine that captures fewer
// gets 70 % of the load that it can carry: above that, the figures would show only its rate.
import { setTimeout as pause } from 'node:timers/promises';
import { atLeast, noSlowerThan, percentilesOf, resultsOf } from '../figures/report';
import type { Bench, Evaluator, Findings } from '../figures/report';
import { CONTROL, measureInRounds, readingsOf, REFERENCE, type Round } from '../figures/rounds';
import type { Adapter, Pace } from '../load/real-provider';
import { shuffled } from '../load/random';
import type { Stand } from '../stand';
import { confirmSteadily, type Confirmed } from './steady-confirms';
import { confirmBlock } from './slow-provider';
import { openTwoCorridors, type TwoCorridors } from './two-corridors';

const CONFIRMS_PER_SECOND = 6;
const ORDERS_PER_SECOND = 30;
const LOAD_SHARE = 0.7;
const UNDER_WAY = 32;
const SECONDS = 20;
const QUICK_SECONDS = 2;
const SIDES = {
  [REFERENCE]: 0,
  'beside 3 s': 3_000,
  'beside silence': 'silent',
  [CONTROL]: 0,
} as const;
const BOUNDS = { roundsMin: 5, roundsMax: 8, timeoutMs: 900_000 };
/** By the figure's name, from the confirms of one block. */
const FIGURES: Readonly<Record<string, readonly [(of: Figures) => number, Evaluator]>> = {
  'confirms answered 200 a second': [({ perSecond }) => perSecond, atLeast(0.9)],
  'p50, µs': [({ p50_us }) => p50_us, noSlowerThan(1.2)],
  'p99, µs': [({ p99_us }) => p99_us, noSlowerThan(1.5)],
};

type Figures = ReturnType<typeof figuresOf>;

/** The slow corridor's. */
const ADAPTERS = [undefined, 'musepay', 'transfi'] as const;

export const slowNeighbours: readonly Bench[] = ADAPTERS.map((adapter) => ({
  name: 'slow-provider',
  settings: {
    confirms_per_second: CONFIRMS_PER_SECOND,
    orders_per_second: ORDERS_PER_SECOND,
    seconds: SECONDS,
    reference: 'the same load while both providers answer at once',
  },
  run: async (stand) => [await measure(stand, adapter)],
}));

async function measure(stand: Stand, adapter: Adapter | undefined): Promise<Findings> {
  const setup = await openTwoCorridors(stand, adapter);
  const load = await loadFor(setup, stand);
  const through = adapter ? ` through ${adapter}` : '';
  const title = `slow-provider: another corridor${through}, ${load.orders.toFixed(0)} orders a second`;
  const rounds: ReadonlyMap<string, Figures>[] = [];
  const times = new Map<string, number[]>();
  const measureRound = async (): Promise<Round> => {
    const round = new Map<string, Figures>();
    for (const [side, pace] of shuffled(Object.entries(SIDES), stand.random)) {
      const confirmed = await confirmBeside(setup, { pace, load }, stand);
      const figures = figuresOf(confirmed, stand);
      round.set(side, figures);
      times.set(side, [...(times.get(side) ?? []), ...confirmed.map(({ ms }) => ms * 1_000)]);
    }
    rounds.push(round);
    return valuesOf(round, ({ p50_us }) => p50_us);
  };
  await confirmBeside(setup, { pace: 0, load }, stand);
  await measureInRounds({ title, measureRound, bounds: BOUNDS }, stand);
  const results = Object.entries(FIGURES).flatMap(([figure, [valueOf, evaluate]]) => {
    const readings = readingsOf(
      rounds.map((round) => valuesOf(round, valueOf)),
      stand.random,
    );
    return resultsOf(readings, (side) => `${title}, ${side}, ${figure}`, evaluate);
  });
  const percentiles = [...times].map(([side, some]) => percentilesOf(title, side, some));
  return { results, percentiles };
}

interface Load {
  /** A second, in the healthy corridor. */
  readonly confirms: number;
  /** A second, in the slow one. */
  readonly orders: number;
}

async function loadFor(setup: TwoCorridors, stand: Stand): Promise<Load> {
  const block = () => confirmBlock(setup, { paceMs: 0, underWay: UNDER_WAY }, stand);
  // The first block meets cold compilers.
  await block();
  const { perSecond } = await block();
  const wanted = CONFIRMS_PER_SECOND + ORDERS_PER_SECOND;
  const share = Math.min(1, (LOAD_SHARE * perSecond) / wanted);
  return { confirms: CONFIRMS_PER_SECOND * share, orders: ORDERS_PER_SECOND * share };
}

function valuesOf(round: ReadonlyMap<string, Figures>, valueOf: (of: Figures) => number): Round {
  return new Map([...round].map(([side, figures]) => [side, valueOf(figures)]));
}

/** Returns the confirms of the healthy corridor. Afterwards no payment is under way. */
async function confirmBeside(
  setup: TwoCorridors,
  { pace, load }: { readonly pace: Pace; readonly load: Load },
  { isQuick }: Stand,
): Promise<readonly Confirmed[]> {
  const seconds = isQuick ? QUICK_SECONDS : SECONDS;
  const { port } = setup;
  const [healthy, slow] = await Promise.all([
    setup.begin('healthy', Math.ceil(load.confirms * seconds)),
    setup.begin('slow', Math.ceil(load.orders * seconds)),
  ]);
  await setup.setPace(pace);
  const confirms = confirmSteadily({ port, perSecond: load.confirms, payments: healthy });
  const orders = confirmSteadily({ port, perSecond: load.orders, payments: slow });
  await pause(seconds * 1_000);
  const [confirmed, ordered] = await Promise.all([confirms.stop(), orders.stop()]);
  const rejected = ordered.find(({ status }) => status >= 400 && status < 500);
  if (rejected) throw new Error(`a confirm of the slow corridor is ${String(rejected.status)}`);
  await setup.setPace(0);
  await setup.untilDelivered();
  return confirmed;
}

function figuresOf(confirmed: readonly Confirmed[], { isQuick }: Stand) {
  const answered = confirmed.filter(({ status }) => status === 200).length;
  const times = confirmed.map(({ ms }) => ms * 1_000);
  const perSecond = answered / (isQuick ? QUICK_SECONDS : SECONDS);
  return { perSecond, ...percentilesOf('', '', times) };
}
