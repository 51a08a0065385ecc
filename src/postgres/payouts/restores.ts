// Guards against a restore of Postgres: a running worker stores a random mark in a row of its own
// and remembers it. No earlier state of Postgres has that mark, however its log has grown since.
// The worker compares and replaces the mark on each new connection before any other statement, and
// so before a payout, and also once a second (decision 127).
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WORKER_MARK_LIVES_SECONDS } from '../../domain/limits';
import { lostByPostgres, WATCH_ACTOR, gapReason, type WatchState } from '../../domain/restore';
import { readOne, readRows, type Queryable } from '../database';
import { createPayoutStops } from './stops';
import type { Log } from '../../ports/observe';
import type { RestoreWatch } from '../../ports/restores';

export interface RestoreGuard {
  /** Stops payouts if Postgres has lost the worker's mark. @throws when Postgres cannot be read */
  readonly check: (connection: Queryable) => Promise<void>;
  /** Repeats `check` until the signal is aborted. @param onFailure called for each failed one */
  run(database: Queryable, stop: AbortSignal, onFailure: () => void): Promise<void>;
}

/** What the worker remembers of its row. */
interface OwnRow {
  readonly id: string;
  /**
   * In the order in which they were sent: the last one that Postgres has confirmed, then those
   * whose answer is pending or lost. The row may hold any of them.
   */
  readonly marks: string[];
  /** Postgres' time at the last confirmed mark. */
  at: Date;
}

const LOOK_EVERY_MS = 1_000;

export function createRestoreGuard(options: GapOptions): RestoreGuard {
  const { log } = options;
  let known: OwnRow | undefined;
  const check = async (connection: Queryable) => {
    const own = known;
    const { at, now } = await stopAfterGap(connection, options);
    if (own !== undefined && isAlive(own, now)) {
      if (await replaceMark(connection, own)) return;
      const reason = lostByPostgres(at.getTime(), 'a worker', own.at.getTime());
      await createPayoutStops(connection).stop({ actor: WATCH_ACTOR, reason, kind: 'restore' });
      log.error({ reason }, 'payouts are stopped until an operator allows them');
    }
    const another = await insertRow(connection);
    if (known === own) known = another;
  };
  return {
    check,
    async run(database, stop, onFailure) {
      while (!stop.aborted) {
        await check(database).catch((error: unknown) => {
          onFailure();
          log.warn({ err: error }, 'a restore of Postgres was not looked for; tried again');
        });
        await pause(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}

/** Another worker may have deleted an older row. */
function isAlive({ at }: OwnRow, now: Date): boolean {
  return now.getTime() - at.getTime() < WORKER_MARK_LIVES_SECONDS * 1_000;
}

/**
 * Several looks of a worker may be under way at once. Each replaces only marks that were sent
 * before its own, so once one is confirmed, the row can never hold an earlier mark again.
 * @returns false if Postgres has lost the mark
 */
async function replaceMark(connection: Queryable, own: OwnRow): Promise<boolean> {
  const { id, marks } = own;
  for (;;) {
    const next = nextMark(marks);
    const [row] = await readRows<{ readonly at: Date }>(connection, {
      name: 'replace-worker-mark',
      text: `update worker_marks set mark = $2, marked_at = service_now()
              where worker_id = $1 and mark = any ($3)
             returning marked_at as at`,
      values: [id, next, [...marks]],
    });
    if (row !== undefined) {
      marks.splice(0, Math.max(0, marks.indexOf(next)));
      own.at = row.at;
      return true;
    }
    // A look that was sent later may have come first: then this one is repeated.
    if (marks.at(-1) === next) return false;
  }
}

const UNCONFIRMED_MAX = 100;

/** Adds a mark, or repeats the last one while so many answers are lost. */
function nextMark(marks: string[]): string {
  const last = marks.at(-1);
  if (last !== undefined && marks.length > UNCONFIRMED_MAX) return last;
  const next = randomUUID();
  marks.push(next);
  return next;
}

/** Also deletes the rows of workers that ended more than a day ago. */
async function insertRow(connection: Queryable): Promise<OwnRow> {
  const [id, mark] = [randomUUID(), randomUUID()];
  const { at } = await readOne<{ readonly at: Date }>(connection, {
    name: 'insert-worker-mark',
    text: `
      with ended as (
        delete from worker_marks
         where marked_at < service_now() - interval '${String(WORKER_MARK_LIVES_SECONDS)} s'
      )
      insert into worker_marks (worker_id, mark, marked_at) values ($1, $2, service_now())
      returning marked_at as at`,
    values: [id, mark],
  });
  return { id, marks: [mark], at };
}

// Stops payouts if the last comparison of Postgres with Temporal is older than a configured age:
// both may have been restored together, which a comparison of the two cannot detect.

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

async function stopAfterGap(
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

// Port `RestoreWatch` over Postgres: one row.

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
