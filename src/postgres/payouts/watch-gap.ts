// Stops payouts if the last comparison of Postgres with Temporal is older than a configured age:
// both may have been restored together, which a comparison of the two cannot detect (decision 127).
import { gapReason, WATCH_ACTOR } from '../../domain/restore';
import type { Log } from '../../ports/log';
import { readOne, type Queryable } from '../database';
import { createPayoutStops } from './stops';

export interface GapOptions {
  /** Null if no age stops payouts, as in the sandbox. */
  readonly maxAgeSeconds: number | null;
  readonly log: Log;
}

interface LastTick {
  readonly ticks: number;
  readonly at: Date;
  readonly now: Date;
}

interface LastTickRow extends LastTick {
  readonly is_gap: boolean;
}

/**
 * Before the first tick there is no gap. A stop that the watch has made since the last tick is
 * enough, whatever its kind.
 */
const LAST_TICK = `
  select ticks, ticked_at as at, service_now() as now,
         ticks > 0 and $1::int is not null
           and service_now() - ticked_at > make_interval(secs => $1::int)
           and not exists (select from payout_stops
                            where ended_at is null and actor = '${WATCH_ACTOR}'
                              and at >= ticked_at) as is_gap
    from restore_watch`;

export async function stopAfterGap(
  connection: Queryable,
  { maxAgeSeconds, log }: GapOptions,
): Promise<LastTick> {
  const row = await readOne<LastTickRow>(connection, { text: LAST_TICK, values: [maxAgeSeconds] });
  if (row.is_gap && maxAgeSeconds !== null) {
    const reason = gapReason(row.at.getTime(), maxAgeSeconds);
    const stop = { actor: WATCH_ACTOR, reason, kind: 'watch_gap', gapSince: row.at } as const;
    await createPayoutStops(connection).stop(stop);
    log.error({ reason }, 'payouts are stopped until the books are reconciled');
  }
  return row;
}
