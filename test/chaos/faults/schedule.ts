// Draws the schedule of faults: kind, target, time and duration. The seed alone decides it, so that
// a seed repeats its schedule.
import { createRandom, shuffled, type Random } from '../../bench/load/random';
import { APIS, PARTNERS, WORKERS } from './links';
import { API_POINTS, WORKER_POINTS } from './points';
import { between, oneOf } from '../random';
import { BUILDS } from './versions';

export interface ScheduledFault {
  /** Since the beginning of the load. */
  readonly atMs: number;
  readonly kind: string;
  /** The processes that the fault affects. */
  readonly targets: readonly string[];
  /**
   * The failpoint, or the milliseconds by which a link is slow or a clock wrong; empty for kinds
   * without details.
   */
  readonly detail: string;
  /** 0 for a fault without duration. */
  readonly lastsMs: number;
}

/** One kind of fault in the deck from which the schedule is dealt. */
interface Card {
  readonly kind: string;
  /** The fault draws one of these. */
  readonly targets: readonly (readonly string[])[];
  /** How many of these cards the deck has; default 1. */
  readonly count?: number;
  readonly details?: readonly string[];
  /** Default: no duration. */
  readonly lastsMs?: readonly [from: number, to: number];
  /** Duration after the first minute, in which faults are dense. */
  readonly laterLastsMs?: readonly [from: number, to: number];
  /** Never two of this kind at once. */
  readonly isAlone?: boolean;
}

const each = (names: readonly string[]) => names.map((name) => [name]);
const eachOrAll = (names: readonly string[]) => [...each(names), names];
const AT_ONCE = [0, 1] as const;
const LINK_LASTS_MS = [800, 4_000] as const;
const GATEWAY_LASTS_MS = [4_000, 12_000] as const;
const FROZEN_FOR_MS = [3_000, 8_000] as const;
/**
 * Long, because a trap does nothing until a process reaches its point, and some points are rarely
 * reached.
 */
const TRAP_LASTS_MS = [15_000, 25_000] as const;
/** From far below to above the time that callers wait for one answer. */
const SLOW_MS = ['40', '250', '900'];
/** The tables that every payment writes. */
const HOT_TABLES = ['payment_intents', 'ledger_transfers', 'payouts', 'webhook_events'];
/**
 * Beyond the signature tolerance, and within it. Within it a wrong clock could only affect
 * deadlines.
 */
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

/** All cards are dealt before the deck is shuffled again, so that 62 s have every kind. */
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
  // Longer than a call to the provider may take, so that a call that timed out is still on its way.
  // After the first minute also until the payment needs attention and an operator resolves it
  // falsely.
  {
    ...{ kind: 'stall worker-provider', targets: eachOrAll(WORKERS), isAlone: true },
    ...{ lastsMs: [6_000, 12_000], laterLastsMs: [6_000, 24_000] },
  },
  {
    ...{ kind: 'gateway worker-provider', targets: eachOrAll(WORKERS), isAlone: true },
    ...{ lastsMs: [2_000, 8_000], laterLastsMs: [2_000, 24_000] },
  },
  { kind: 'continue worker-provider', targets: eachOrAll(WORKERS), lastsMs: GATEWAY_LASTS_MS },
  { kind: 'continue worker-partner', targets: [['worker-1']], lastsMs: GATEWAY_LASTS_MS },
  { kind: 'freeze api', targets: each(APIS), lastsMs: FROZEN_FOR_MS },
  { kind: 'freeze worker', targets: eachOrAll(WORKERS), lastsMs: FROZEN_FOR_MS },
  { kind: 'freeze temporal', targets: TEMPORAL, lastsMs: FROZEN_FOR_MS },
  { kind: 'freeze postgres', targets: POSTGRES, lastsMs: FROZEN_FOR_MS },
  { kind: 'freeze sandbox', targets: SANDBOX, lastsMs: FROZEN_FOR_MS },
  {
    ...{ kind: 'freeze all', targets: EVERYTHING, lastsMs: FROZEN_FOR_MS },
    // Longer than every timeout and lease, as on a paused machine.
    laterLastsMs: [60_000, 60_001],
  },
  {
    ...{ kind: 'disk', targets: POSTGRES, isAlone: true },
    ...{ details: ['full', 'stalled'], lastsMs: [1_500, 4_000] },
  },
  // Lets the commit of a timely confirm end after the deadline and its grace period.
  { kind: 'commits stalled', targets: POSTGRES, isAlone: true, lastsMs: [4_000, 10_000] },
  {
    ...{ kind: 'migration', targets: POSTGRES, isAlone: true },
    ...{ details: HOT_TABLES, lastsMs: [500, 4_000] },
  },
  // Waits until nothing but marks is written, and until workers have replaced theirs.
  { kind: 'snapshot put back', targets: POSTGRES, isAlone: true, lastsMs: [20_000, 20_001] },
  {
    ...{ kind: 'clock skew', targets: [['api-2']], isAlone: true },
    ...{ details: CLOCKS_OFF_MS, lastsMs: [7_000, 9_000], laterLastsMs: [20_000, 30_000] },
  },
  {
    ...{ kind: 'worker versions', count: 2, targets: [WORKERS], isAlone: true },
    // The switch is retried for this long, because Temporal may be away.
    ...{ details: Object.values(BUILDS), lastsMs: [8_000, 8_001] },
  },
  // Payments wait. A cancel of a waiting payment is decided after 6 s, when payouts are allowed
  // again.
  { kind: 'payouts stopped', targets: POSTGRES, isAlone: true, lastsMs: [4_000, 8_000] },
  // Long enough for a queue at one endpoint, which workers then drain.
  { kind: 'webhooks disabled', targets: each(PARTNERS), isAlone: true, lastsMs: [8_000, 14_000] },
  { kind: 'webhook secret rotated', targets: each(PARTNERS) },
  { kind: 'workflows terminated', targets: TEMPORAL },
  // Long enough to start and to compare, also while Temporal or Postgres comes up again.
  { kind: 'foreign worker', targets: TEMPORAL, isAlone: true, lastsMs: [20_000, 30_000] },
  // Temporal is frozen beyond the deadline of payments that are created meanwhile: their workflows
  // are never started.
  {
    ...{ kind: 'missing workflows', targets: TEMPORAL, isAlone: true },
    ...{ lastsMs: FROZEN_FOR_MS, laterLastsMs: [33_000, 40_000] },
  },
];

interface ScheduleOptions {
  readonly seed: number;
  readonly seconds: number;
  /** Texts to find in `kind detail`; all kinds when empty. */
  readonly only: readonly string[];
}

const FIRST_AFTER_MS = 2_000;
/** No fault begins in the last seconds, because it would outlast the load. */
const QUIET_END_MS = 3_000;
const ALONE_MS = 5_000;
/** Average gap between faults. Dense for a minute, so that even the shortest run has every kind. */
const PAUSE_MS = 730;
const DENSE_FOR_MS = 60_000;
/** Later the gaps let payments finish: a system that is never up proves little. */
const LATER_PAUSE_MS = 4_000;

export function drawSchedule({ seed, seconds, only }: ScheduleOptions): readonly ScheduledFault[] {
  const random = createRandom(seed);
  const wanted = wantedCards(only);
  const deck = wanted.flatMap((card) => Array<Card>(card.count ?? 1).fill(card));
  const dealCard = dealerOf(deck, random);
  // Details are dealt in the same way: each failpoint comes once before any comes again.
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

/** Deals each item once in random order before any item comes again. */
function dealerOf<Item>(items: readonly Item[], random: Random): () => Item {
  let left: Item[] = [];
  return () => {
    if (left.length === 0) left = shuffled(items, random);
    const item = left.pop();
    if (item === undefined) throw new Error('the list to deal from is empty');
    return item;
  };
}

/**
 * Two faults of some kinds would undo each other, and a process that the first restarts needs time
 * to come up.
 */
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
