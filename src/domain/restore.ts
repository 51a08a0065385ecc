// Which of two databases that count the same ticks has been put back to an earlier time (decision 127).
import { STATEMENT_EDGE_SECONDS } from './limits';
import type { LogMark } from './log-position';

/** The actor of a stop of payouts that the watch over restores makes. No operator can be called so. */
export const WATCH_ACTOR = 'system';

export type Side = 'postgres' | 'temporal';

/** What Temporal knows of the count, and when it last did. */
export interface WatchState {
  readonly ticks: number;
  /** The highest count that Temporal has known; `ticks` where it is not there. */
  readonly highest?: number;
  /** Milliseconds since 1970; null for a workflow that begins without knowing of an earlier one. */
  readonly atMs: number | null;
  /** Where Postgres' log was then; not there, or null, where that could not be read. */
  readonly mark?: LogMark | null;
}

/** What Postgres says to a tick. */
export interface Tick {
  /** Its count now: one more than Temporal's where both agree. */
  readonly ticks: number;
  /** When it had last counted before. */
  readonly lastAtMs: number;
  /** Where its log is now; null where that may not be read. */
  readonly mark?: LogMark | null;
  /** Whether what its log held at the mark that Temporal knows is gone. */
  readonly isMarkGone?: boolean;
}

/**
 * A tick whose answer was lost is counted once, and answered the same when it is repeated: so one more than Temporal's is what both
 * agree on.
 */
export function whichWentBack(known: WatchState, { ticks, isMarkGone = false }: Tick): Side | null {
  // Also where the counts agree: a second restore may have come to the same count as the first.
  if (isMarkGone) return 'postgres';
  if (ticks === known.ticks + 1) return null;
  // Ahead of where it was last time, but not of where it once was: another, later state of it was put there.
  return ticks <= highestOf(known) ? 'postgres' : 'temporal';
}

/** What Temporal knows once Postgres has answered. */
export function after(known: WatchState, { ticks, mark }: Tick, atMs: number): WatchState {
  const highest = Math.max(highestOf(known), ticks);
  return { ticks, atMs, highest, mark: mark ?? known.mark ?? null };
}

function highestOf({ ticks, highest = ticks }: WatchState): number {
  return Math.max(ticks, highest);
}

/** Why payouts are stopped, for people. */
export function restoredReason(side: Side, known: WatchState, tick: Tick): string {
  if (side === 'postgres') {
    return lostByPostgres(tick.lastAtMs, 'Temporal', known.atMs ?? tick.lastAtMs);
  }
  return known.atMs === null
    ? `Temporal was lost, or the run restore-watch was ended; Postgres remembers until ${instant(tick.lastAtMs)}.`
    : `Temporal went back to about ${instant(known.atMs)}; Postgres remembers until ${instant(tick.lastAtMs)}.`;
}

/** Why payouts are stopped where it is what Postgres has committed that is gone. */
export function lostByPostgres(
  lastTickMs: number,
  witness: 'Temporal' | 'a worker',
  untilMs: number,
): string {
  return `Postgres went back to about ${instant(lastTickMs)}; ${witness} remembers until ${instant(untilMs)}.`;
}

/** The same for all that find it, so that one stop is made. What lies at an edge of a reconciled period is not judged. */
export function gapReason(sinceMs: number, maxAgeSeconds: number): string {
  const since = instant(sinceMs - (STATEMENT_EDGE_SECONDS + 1) * 1_000);
  return `Postgres and Temporal were not compared for more than ${String(maxAgeSeconds)} s after ${instant(sinceMs)}: both may have been put back. Run "payctl reconcile --statement FILE --since ${since} --until TIME", with a TIME more than ${String(STATEMENT_EDGE_SECONDS)} s after this stop: a clean one lifts it.`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
