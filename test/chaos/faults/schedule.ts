// Which faults strike whom, when, and for how long: drawn from a seed and from nothing else, so that the same seed repeats
// the same schedule.
import { createRandom, shuffled, type Random } from '../../bench/load/random';
import { APIS, PARTNERS, WORKERS } from './links';
import { API_POINTS, WORKER_POINTS } from './points';
import { between, oneOf } from '../random';
import { BUILDS } from './versions';

export interface ScheduledFault {
  /** After the beginning of the load. */
  readonly atMs: number;
  readonly kind: string;
  /** The processes that it strikes. */
  readonly targets: readonly string[];
  /** The point of a failpoint, how many milliseconds a link is slow or a clock off; empty where there is nothing to say. */
  readonly detail: string;
  /** 0 for what is over at once. */
  readonly lastsMs: number;
}

interface Card {
  readonly kind: string;
  /** One of these. */
  readonly targets: readonly (readonly string[])[];
  /** How many of it are in the deck; one unless told. */
  readonly count?: number;
  readonly details?: readonly string[];
  /** Over at once unless told. */
  readonly lastsMs?: readonly [from: number, to: number];
  /** After the first minute, whose faults are dense. */
  readonly laterLastsMs?: readonly [from: number, to: number];
  /** Not while another of its kind lasts. */
  readonly isAlone?: boolean;
}

const each = (names: readonly string[]) => names.map((name) => [name]);
const eachOrAll = (names: readonly string[]) => [...each(names), names];
const AT_ONCE = [0, 1] as const;
const LINK_LASTS_MS = [800, 4_000] as const;
const FROZEN_FOR_MS = [3_000, 8_000] as const;
/** A trap harms nobody until somebody comes by; some steps are taken once in a while only. */
const TRAP_LASTS_MS = [15_000, 25_000] as const;
/** Beyond what each caller waits for one answer, and far below. */
const SLOW_MS = ['40', '250', '900'];
/** What is written to with each payment. */
const HOT_TABLES = ['payment_intents', 'ledger_transfers', 'payouts', 'webhook_events'];
/** Beyond what a signature may be off, and within: there a deadline is what the clock is wrong about. */
const CLOCKS_OFF_MS = ['+360000', '-360000', '+20000', '-20000'];

const LINKS = {
  'api-temporal': eachOrAll(APIS),
  'api-postgres': eachOrAll(APIS),
  'worker-temporal': eachOrAll(WORKERS),
  'worker-postgres': eachOrAll(WORKERS),
  'worker-provider': eachOrAll(WORKERS),
  'worker-partner': [['worker-1']],
};
const TEMPORAL = [['temporal']];
const POSTGRES = [['postgres']];
const SANDBOX = [['sandbox']];
const EVERYTHING = [[...APIS, ...WORKERS, 'temporal', 'postgres', 'sandbox']];

/** The deck: every card is dealt before it is shuffled anew, so that 62 s have all kinds. */
export const DECK: readonly Card[] = [
  { kind: 'kill api', count: 2, targets: each(APIS) },
  { kind: 'kill worker', count: 2, targets: eachOrAll(WORKERS) },
  { kind: 'kill temporal', targets: TEMPORAL },
  { kind: 'kill postgres', targets: POSTGRES },
  { kind: 'kill sandbox', targets: SANDBOX },
  {
    ...{ kind: 'failpoint worker', count: 9, targets: eachOrAll(WORKERS) },
    ...{ details: WORKER_POINTS, lastsMs: TRAP_LASTS_MS },
  },
  {
    ...{ kind: 'failpoint api', count: 4, targets: each(APIS) },
    ...{ details: API_POINTS, lastsMs: TRAP_LASTS_MS },
  },
  ...Object.entries(LINKS).flatMap(([link, targets]) => [
    { kind: `cut ${link}`, targets, lastsMs: LINK_LASTS_MS },
    { kind: `mute ${link}`, targets, lastsMs: LINK_LASTS_MS },
    { kind: `slow ${link}`, targets, details: SLOW_MS, lastsMs: LINK_LASTS_MS },
  ]),
  // Longer than a call to the provider lasts: what it gives up then is still on its way. Later until people are asked, who
  // declare what is not true.
  {
    ...{ kind: 'stall worker-provider', targets: eachOrAll(WORKERS), isAlone: true },
    ...{ lastsMs: [6_000, 12_000], laterLastsMs: [6_000, 24_000] },
  },
  {
    ...{ kind: 'gateway worker-provider', targets: eachOrAll(WORKERS), isAlone: true },
    ...{ lastsMs: [2_000, 8_000], laterLastsMs: [2_000, 24_000] },
  },
  { kind: 'freeze api', targets: each(APIS), lastsMs: FROZEN_FOR_MS },
  { kind: 'freeze worker', targets: eachOrAll(WORKERS), lastsMs: FROZEN_FOR_MS },
  { kind: 'freeze temporal', targets: TEMPORAL, lastsMs: FROZEN_FOR_MS },
  { kind: 'freeze postgres', targets: POSTGRES, lastsMs: FROZEN_FOR_MS },
  { kind: 'freeze sandbox', targets: SANDBOX, lastsMs: FROZEN_FOR_MS },
  {
    ...{ kind: 'freeze all', targets: EVERYTHING, lastsMs: FROZEN_FOR_MS },
    // As on a machine that is paused: longer than every timeout and lease.
    laterLastsMs: [60_000, 60_001],
  },
  {
    ...{ kind: 'disk', targets: POSTGRES, isAlone: true },
    ...{ details: ['full', 'stalled'], lastsMs: [1_500, 4_000] },
  },
  // Past a deadline and the grace after it, with a confirm that was in time.
  { kind: 'commits stalled', targets: POSTGRES, isAlone: true, lastsMs: [4_000, 10_000] },
  {
    ...{ kind: 'migration', targets: POSTGRES, isAlone: true },
    ...{ details: HOT_TABLES, lastsMs: [500, 4_000] },
  },
  {
    ...{ kind: 'clock skew', targets: [['api-2']], isAlone: true },
    ...{ details: CLOCKS_OFF_MS, lastsMs: [7_000, 9_000], laterLastsMs: [20_000, 30_000] },
  },
  {
    ...{ kind: 'worker versions', count: 2, targets: [WORKERS], isAlone: true },
    // Tried for that long, since Temporal may be away.
    ...{ details: Object.values(BUILDS), lastsMs: [8_000, 8_001] },
  },
  // Payments wait; a cancel of one is judged after 6 s, when they are allowed again.
  { kind: 'payouts stopped', targets: POSTGRES, isAlone: true, lastsMs: [4_000, 8_000] },
  // Long enough for a queue at one endpoint, which workers then drain by taking along what waits.
  { kind: 'webhooks disabled', targets: each(PARTNERS), isAlone: true, lastsMs: [8_000, 14_000] },
  { kind: 'webhook secret rotated', targets: each(PARTNERS) },
  { kind: 'runs terminated', targets: TEMPORAL },
];

export interface ScheduleWish {
  readonly seed: number;
  readonly seconds: number;
  /** Parts of `kind detail`; all kinds when empty. */
  readonly only: readonly string[];
}

const FIRST_AFTER_MS = 2_000;
/** What begins in the last seconds would not be over when the load is. */
const QUIET_END_MS = 3_000;
const ALONE_MS = 5_000;
/** From one to the next, on average: dense for a minute, so that the shortest run has every kind of fault. */
const PAUSE_MS = 970;
const DENSE_FOR_MS = 60_000;
/** Later there is time between them in which payments come to an end: a system that is never up proves little. */
const LATER_PAUSE_MS = 4_000;

export function drawSchedule({ seed, seconds, only }: ScheduleWish): readonly ScheduledFault[] {
  const random = createRandom(seed);
  const wanted = wantedCards(only);
  const deck = wanted.flatMap((card) => Array<Card>(card.count ?? 1).fill(card));
  const dealCard = dealerOf(deck, random);
  // Of points, too, each has its turn before any has a second one.
  const details = new Map(wanted.map((card) => [card.kind, dealerOf(detailsOf(card), random)]));
  const faults: ScheduledFault[] = [];
  let atMs = FIRST_AFTER_MS;
  while (deck.length > 0 && atMs < seconds * 1_000 - QUIET_END_MS) {
    const card = dealCard();
    if (!isBusy(card, faults, atMs)) {
      faults.push({ ...draw(card, atMs, random), atMs, detail: details.get(card.kind)?.() ?? '' });
    }
    const pauseMs = atMs < DENSE_FOR_MS ? PAUSE_MS : LATER_PAUSE_MS;
    atMs += between(pauseMs / 2, pauseMs * 1.5, random);
  }
  return faults;
}

/** Each of them once, in an order of chance, before any of them again. */
function dealerOf<Item>(items: readonly Item[], random: Random): () => Item {
  let left: Item[] = [];
  return () => {
    if (left.length === 0) left = shuffled(items, random);
    const item = left.pop();
    if (item === undefined) throw new Error('there is nothing to deal');
    return item;
  };
}

/** Of some kinds one would undo the other; the process that it restarts needs its time, too. */
function isBusy({ kind, isAlone }: Card, faults: readonly ScheduledFault[], atMs: number): boolean {
  if (isAlone !== true) return false;
  return faults.some((one) => one.kind === kind && one.atMs + one.lastsMs + ALONE_MS > atMs);
}

function detailsOf({ details = [''] }: Card): readonly string[] {
  return details;
}

function wantedCards(only: readonly string[]): readonly Card[] {
  if (only.length === 0) return DECK;
  return DECK.flatMap((card) => {
    const details = detailsOf(card).filter((detail) =>
      only.some((part) => `${card.kind} ${detail}`.includes(part)),
    );
    return details.length === 0 ? [] : [{ ...card, details }];
  });
}

function draw(card: Card, atMs: number, random: Random) {
  const { kind, targets, lastsMs = AT_ONCE, laterLastsMs = lastsMs } = card;
  const [from, to] = atMs < DENSE_FOR_MS ? lastsMs : laterLastsMs;
  return { kind, targets: oneOf(targets, random), lastsMs: between(from, to, random) };
}
