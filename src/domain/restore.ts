// Decides which of two databases that count the same ticks was restored to an earlier time
// (decision 127).
import { STATEMENT_EDGE_SECONDS } from './limits';

/** The restore watch as the actor of a stop. No operator can have this name. */
export const WATCH_ACTOR = 'system';

export type Side = 'postgres' | 'temporal';

/** The count in Temporal, and the time of its last tick. */
export interface WatchState {
  readonly ticks: number;
  /** The highest count that Temporal has known; if absent, `ticks`. */
  readonly highest?: number;
  /** Milliseconds since 1970; null for a workflow that begins without an earlier one. */
  readonly atMs: number | null;
  /** The random mark that Postgres stored then; absent or null before the first tick. */
  readonly mark?: string | null;
}

/** Postgres' answer to a tick. */
export interface Tick {
  /** Postgres' count: one more than Temporal's if both agree. */
  readonly ticks: number;
  /** The time of the tick before. */
  readonly lastAtMs: number;
  /** The random mark of that count; null before the first tick. */
  readonly mark: string | null;
  /** Whether the counts agree although Postgres lacks Temporal's mark. */
  readonly isMarkGone: boolean;
}

/**
 * A tick whose answer was lost is counted once, and its repeat gets the same answer. So both agree
 * if Postgres has one more than Temporal.
 */
export function whichWentBack(known: WatchState, { ticks, isMarkGone }: Tick): Side | null {
  // Checked even if the counts agree: a second restore may have led to the same count.
  if (isMarkGone) return 'postgres';
  if (ticks === known.ticks + 1) return null;
  // Ahead of the last tick, but not of the highest: a later backup of Postgres was restored.
  return ticks <= highestOf(known) ? 'postgres' : 'temporal';
}

/** Temporal's next state, after Postgres' answer. */
export function after(known: WatchState, { ticks, mark }: Tick, atMs: number): WatchState {
  return { ticks, atMs, highest: Math.max(highestOf(known), ticks), mark };
}

function highestOf({ ticks, highest = ticks }: WatchState): number {
  return Math.max(ticks, highest);
}

/** Reason of the stop, for operators. */
export function restoredReason(side: Side, known: WatchState, tick: Tick): string {
  if (side === 'postgres') {
    return lostByPostgres(tick.lastAtMs, 'Temporal', known.atMs ?? tick.lastAtMs);
  }
  return known.atMs === null
    ? `Temporal was lost, or the run restore-watch was ended; Postgres remembers until ${instant(tick.lastAtMs)}.`
    : `Temporal went back to about ${instant(known.atMs)}; Postgres remembers until ${instant(tick.lastAtMs)}.`;
}

/** Reason of the stop if Postgres has lost commits. */
export function lostByPostgres(
  lastTickMs: number,
  witness: 'Temporal' | 'a worker',
  untilMs: number,
): string {
  return `Postgres went back to about ${instant(lastTickMs)}; ${witness} remembers until ${instant(untilMs)}.`;
}

/** The same text for all workers that detect the gap, so that they make one stop. */
export function gapReason(sinceMs: number, maxAgeSeconds: number): string {
  const since = instant(sinceMs - (STATEMENT_EDGE_SECONDS + 1) * 1_000);
  return `Postgres and Temporal were not compared for more than ${String(maxAgeSeconds)} s after ${instant(sinceMs)}: both may have been put back. Run "payctl reconcile --statement FILE --since ${since} --until TIME", with a TIME more than ${String(STATEMENT_EDGE_SECONDS)} s after this stop: a clean one lifts it.`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
