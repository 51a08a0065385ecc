// Guards against a restore of Postgres and Temporal together: a running worker caches the last
// state that it saw of Postgres, which such a restore does not change. The worker compares it with
// each new connection before any other statement, and so before a payout, and also once a second
// (decision 127).
import { setTimeout as pause } from 'node:timers/promises';
import { isGone, markOf, type LogMark, type LogPosition } from '../../domain/log-position';
import { lostByPostgres, WATCH_ACTOR } from '../../domain/restore';
import type { Queryable } from '../database';
import type { LogPositions } from './log-position';
import { createPayoutStops } from './stops';
import { stopAfterGap, type GapOptions } from './watch-gap';

export interface RestoreGuard {
  /** Stops payouts if Postgres has lost the cached state. @throws when Postgres cannot be read */
  readonly check: (connection: Queryable) => Promise<void>;
  /** Repeats `check` until the signal is aborted. */
  run(database: Queryable, stop: AbortSignal): Promise<void>;
}

interface RestoreGuardOptions extends GapOptions {
  readonly positions: LogPositions;
}

interface CachedState {
  readonly mark: LogMark | null;
  readonly ticks: number;
  readonly atMs: number;
}

const READ_EVERY_MS = 1_000;

export function createRestoreGuard(options: RestoreGuardOptions): RestoreGuard {
  const { positions, log } = options;
  let cached: CachedState | undefined;
  const check = async (connection: Queryable) => {
    // Of two simultaneous reads, neither is compared with a state that the other read later.
    const known = cached;
    const position = await positions.read(connection);
    const { ticks, at, now } = await stopAfterGap(connection, options);
    if (known !== undefined && hasGoneBack(known, ticks, position)) {
      const reason = lostByPostgres(at.getTime(), 'a worker', known.atMs);
      await createPayoutStops(connection).stop({ actor: WATCH_ACTOR, reason, kind: 'restore' });
      log.error({ reason }, 'payouts are stopped until an operator allows them');
    }
    if (cached !== known) return;
    const mark = position === null ? (known?.mark ?? null) : markOf(position);
    cached = { mark, ticks, atMs: now.getTime() };
  };
  return {
    check,
    async run(database, stop) {
      while (!stop.aborted) {
        await check(database).catch(() => undefined);
        await pause(READ_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}

/**
 * Without a restore the ticks only increase, so they show a restore even if the log may not be
 * read.
 */
function hasGoneBack(
  { mark, ticks }: CachedState,
  ticksNow: number,
  now: LogPosition | null,
): boolean {
  return ticksNow < ticks || (mark !== null && now !== null && isGone(mark, now));
}
