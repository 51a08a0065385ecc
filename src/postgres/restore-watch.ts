// Port restore-watch over Postgres: one row.
import type { RestoreWatch } from '../ports/restore-watch';
import type { Queryable } from './database';

interface TickRow {
  readonly ticks: number;
  readonly last_at: Date;
}

export function createRestoreWatch(database: Queryable): RestoreWatch {
  return {
    async tick(known) {
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
      return { ticks: row.ticks, lastAtMs: row.last_at.getTime() };
    },
  };
}
