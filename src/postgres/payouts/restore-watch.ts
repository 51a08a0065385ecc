// Port restore-watch over Postgres: one row.
import type { WatchState } from '../../domain/restore';
import type { RestoreWatch } from '../../ports/payouts/lost-commits';
import { readOne, type Queryable } from '../database';
import { stopAfterGap, type GapOptions } from './watch-gap';

interface TickRow {
  readonly ticks: number;
  readonly mark: string | null;
  readonly lastAt: Date;
  readonly isMarkGone: boolean;
}

interface RestoreWatchOptions extends GapOptions {
  readonly database: Queryable;
}

export function createRestoreWatch(options: RestoreWatchOptions): RestoreWatch {
  const { database } = options;
  return {
    async tick(known) {
      // The gap is checked before the tick, since the tick ends it.
      await stopAfterGap(database, options);
      const { lastAt, ...tick } = await writeTick(database, known);
      return { ...tick, lastAtMs: lastAt.getTime() };
    },
  };
}

/**
 * A repeat, whose count is one ahead, keeps the mark of the first. Two restores may lead to the
 * same count, never to the same mark.
 */
function writeTick(database: Queryable, { ticks, mark }: WatchState): Promise<TickRow> {
  return readOne(database, {
    name: 'tick-restore-watch',
    text: `
      with before as materialized (
        select ticks, ticked_at, mark, mark_before, ticks = $1::bigint as is_first
          from restore_watch for update
      ),
      ticked as (
        update restore_watch w
           set ticks = $1::bigint + 1, ticked_at = service_now(), timeline = log_timeline(),
               timeline_changed_at = case when timeline is distinct from log_timeline()
                                          then service_now() else timeline_changed_at end,
               server_started_at = pg_postmaster_start_time(),
               mark = case when is_first then gen_random_uuid()::text else before.mark end,
               mark_before = case when is_first then before.mark else before.mark_before end
          from before
         where before.ticks in ($1::bigint, $1::bigint + 1)
        returning w.ticks, w.mark, w.mark_before
      )
      select coalesce(ticked.ticks, before.ticks) as ticks,
             coalesce(ticked.mark, before.mark) as mark, before.ticked_at as "lastAt",
             $2::text is not null and ticked.mark is not null
               and ticked.mark_before is distinct from $2::text as "isMarkGone"
        from before left join ticked on true`,
    values: [ticks, mark],
  });
}
