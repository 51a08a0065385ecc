// Port restore-watch over Postgres: one row.
import { isGone, markOf } from '../../domain/log-position';
import type { RestoreWatch } from '../../ports/payouts/lost-commits';
import { readOne, type Queryable } from '../database';
import type { LogPositions } from './log-position';
import { stopAfterGap, type GapOptions } from './watch-gap';

interface TickRow {
  readonly ticks: number;
  readonly last_at: Date;
}

interface RestoreWatchOptions extends GapOptions {
  readonly database: Queryable;
  readonly positions: LogPositions;
}

export function createRestoreWatch(options: RestoreWatchOptions): RestoreWatch {
  const { database, positions } = options;
  return {
    async tick({ ticks: known, mark = null }) {
      // The gap is checked before the tick, since the tick ends it.
      await stopAfterGap(database, options);
      const { ticks, last_at: lastAt } = await writeTick(database, known);
      const position = await positions.read(database);
      return {
        ticks,
        lastAtMs: lastAt.getTime(),
        mark: position === null ? null : markOf(position),
        isMarkGone: mark !== null && position !== null && isGone(mark, position),
      };
    },
  };
}

function writeTick(database: Queryable, known: number): Promise<TickRow> {
  return readOne(database, {
    name: 'tick-restore-watch',
    text: `
      with before as materialized (
        select ticks, ticked_at from restore_watch for update
      ),
      ticked as (
        update restore_watch w
           set ticks = $1::bigint + 1, ticked_at = service_now(), timeline = log_timeline(),
               timeline_changed_at = case when timeline is distinct from log_timeline()
                                          then service_now() else timeline_changed_at end
          from before
         where before.ticks in ($1::bigint, $1::bigint + 1)
        returning w.ticks
      )
      select coalesce((select ticks from ticked), before.ticks) as ticks,
             before.ticked_at as last_at
        from before`,
    values: [known],
  });
}
