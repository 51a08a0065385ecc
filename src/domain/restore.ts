// Which of two databases that count the same ticks has been put back to an earlier time (decision 127).

/** Who stops payouts then. No operator can be called so. */
export const WATCH_ACTOR = 'system';

export type Side = 'postgres' | 'temporal';

/** What Temporal knows of the count, and when it last did. */
export interface WatchState {
  readonly ticks: number;
  /** The highest count that Temporal has known; `ticks` where it is not there. */
  readonly highest?: number;
  /** Milliseconds since 1970; null for a run that begins without having been told of an earlier one. */
  readonly atMs: number | null;
}

/** What Postgres says to a tick. */
export interface Tick {
  /** Its count now: one more than Temporal's where both agree. */
  readonly ticks: number;
  /** When it had last counted before. */
  readonly lastAtMs: number;
}

/**
 * A tick whose answer was lost is counted once, and answered the same when it is repeated: so one more than Temporal's is what both
 * agree on.
 */
export function whichWentBack(known: WatchState, { ticks }: Tick): Side | null {
  if (ticks === known.ticks + 1) return null;
  // Ahead of where it was last time, but not of where it once was: another, later state of it was put there.
  return ticks <= highestOf(known) ? 'postgres' : 'temporal';
}

/** What Temporal knows once Postgres has answered. */
export function after(known: WatchState, { ticks }: Tick, atMs: number): WatchState {
  return { ticks, atMs, highest: Math.max(highestOf(known), ticks) };
}

function highestOf({ ticks, highest = ticks }: WatchState): number {
  return Math.max(ticks, highest);
}

/** Why payouts are stopped, for people. */
export function restoredReason(side: Side, known: WatchState, tick: Tick): string {
  if (side === 'postgres') {
    return `Postgres went back to about ${instant(tick.lastAtMs)}; Temporal remembers until ${instant(known.atMs ?? tick.lastAtMs)}.`;
  }
  return known.atMs === null
    ? `Temporal was lost, or the run restore-watch was ended; Postgres remembers until ${instant(tick.lastAtMs)}.`
    : `Temporal went back to about ${instant(known.atMs)}; Postgres remembers until ${instant(tick.lastAtMs)}.`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
