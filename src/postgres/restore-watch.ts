// Port restore-watch over Postgres: one row.
import { isGone, markOf, type LogPosition } from '../domain/log-position';
import type { WatchState } from '../domain/restore';
import type { RestoreWatch } from '../ports/restore-watch';
import type { Queryable } from './database';
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
    async tick(known) {
      // Before the tick, which ends the gap.
      await stopAfterGap(database, options);
      const { ticks, last_at: lastAt } = await count(database, known.ticks);
      const position = await positions.read(database);
      return {
        ticks,
        lastAtMs: lastAt.getTime(),
        mark: position === null ? null : markOf(position),
        isMarkGone: isMarkGone(known, position),
      };
    },
  };
}

function isMarkGone({ mark = null }: WatchState, position: LogPosition | null): boolean {
  return mark !== null && position !== null && isGone(mark, position);
}

async function count(database: Queryable, known: number): Promise<TickRow> {
  const { rows } = await database.query<TickRow>({
    name: 'tick-restore-watch',
    text: `
      with before as materialized (
        select ticks, ticked_at from restore_watch for update
      ),
      ticked as (
        update restore_watch w set ticks = $1::bigint + 1, ticked_at = service_now()
          from before
         where before.ticks in ($1::bigint, $1::bigint + 1)
        returning w.ticks
      )
      select coalesce((select ticks from ticked), before.ticks) as ticks, before.ticked_at as last_at from before`,
    values: [known],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('the restore watch has no row');
  return row;
}
