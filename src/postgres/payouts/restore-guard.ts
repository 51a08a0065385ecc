// What a running worker remembers of Postgres outlives a restore of Postgres and Temporal together. Each new connection is compared
// with it before any other statement, and so before a payout; and once a second where no connection was cut (decision 127).
import { setTimeout as pause } from 'node:timers/promises';
import { isGone, markOf, type LogMark, type LogPosition } from '../../domain/log-position';
import { lostByPostgres, WATCH_ACTOR } from '../../domain/restore';
import type { Queryable } from '../database';
import type { LogPositions } from './log-position';
import { createPayoutStops } from './stops';
import { stopAfterGap, type GapOptions } from './watch-gap';

export interface RestoreGuard {
  /** Stops payouts if what is remembered is gone. @throws when Postgres cannot say */
  readonly look: (connection: Queryable) => Promise<void>;
  /** Looks again and again until the signal is aborted. */
  run(database: Queryable, stop: AbortSignal): Promise<void>;
}

interface RestoreGuardOptions extends GapOptions {
  readonly positions: LogPositions;
}

interface Memory {
  readonly mark: LogMark | null;
  readonly ticks: number;
  readonly atMs: number;
}

const READ_EVERY_MS = 1_000;

export function createRestoreGuard(options: RestoreGuardOptions): RestoreGuard {
  const { positions, log } = options;
  let memory: Memory | undefined;
  const look = async (connection: Queryable) => {
    // Of two looks at a time neither is compared with what the other has seen later.
    const known = memory;
    const position = await positions.read(connection);
    const { ticks, at, now } = await stopAfterGap(connection, options);
    if (known !== undefined && hasGoneBack(known, ticks, position)) {
      const reason = lostByPostgres(at.getTime(), 'a worker', known.atMs);
      await createPayoutStops(connection).stop({ actor: WATCH_ACTOR, reason, kind: 'restore' });
      log.error({ reason }, 'payouts are stopped until operations allow them');
    }
    if (memory !== known) return;
    const mark = position === null ? (known?.mark ?? null) : markOf(position);
    memory = { mark, ticks, atMs: now.getTime() };
  };
  return {
    look,
    async run(database, stop) {
      while (!stop.aborted) {
        await look(database).catch(() => undefined);
        await pause(READ_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}

/** Ticks are only counted up while nobody restores: they are what is left where the log may not be read. */
function hasGoneBack({ mark, ticks }: Memory, ticksNow: number, now: LogPosition | null): boolean {
  return ticksNow < ticks || (mark !== null && now !== null && isGone(mark, now));
}
