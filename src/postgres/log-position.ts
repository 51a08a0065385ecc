// Reads where Postgres' log is, as far as the role may (decision 127).
import type { Ancestor, LogPosition } from '../domain/log-position';
import type { Log } from '../ports/log';
import type { Queryable } from './database';

export interface LogPositions {
  /** Null where it may not be read, and on a standby. */
  read(connection: Queryable): Promise<LogPosition | null>;
}

interface PositionRow {
  readonly cluster: string;
  readonly lsn: string | null;
  /** The segment's name: its first eight digits are the timeline. */
  readonly segment: string;
}

/** Says in the log, once, what may not be read here. */
export function createLogPositions(log: Log): LogPositions {
  const readPosition = unlessDenied(selectPosition, () => {
    log.warn(
      {},
      'the position of the log of Postgres may not be read: a restore is noticed by counts and by age only (docs/restore.md)',
    );
  });
  const readHistory = unlessDenied(selectHistory, () => {
    log.warn(
      {},
      'where the timeline of Postgres branched may not be read: a failover that lost commits is noticed by counts and by age (docs/restore.md)',
    );
  });
  return {
    async read(connection) {
      const row = await readPosition(connection, '');
      if (typeof row?.lsn !== 'string') return null;
      const timeline = row.segment.slice(0, TIMELINE_DIGITS);
      const history = await readHistory(connection, timeline);
      const ancestors = history === null ? null : ancestorsIn(history);
      return {
        cluster: row.cluster,
        timeline: Number.parseInt(timeline, 16),
        lsn: row.lsn,
        branchedAt: ancestors?.at(-1)?.leftAt ?? null,
        ancestors,
      };
    },
  };
}

const TIMELINE_DIGITS = 8;
const FIRST_TIMELINE = '00000001';
const HISTORY_MAX_BYTES = 1_000_000;

/**
 * The record makes the statement wait until its own commit is as durable as any: what a standby that takes over may lack without a
 * loss never becomes a position. It is some 60 bytes of log, and in no table.
 */
async function selectPosition(connection: Queryable): Promise<PositionRow | null> {
  const { rows } = await connection.query<PositionRow>({
    text: `
      with written as materialized (
        select case when not pg_is_in_recovery()
                    then pg_logical_emit_message(true, 'restore-watch', '') end as lsn
      )
      select system_identifier::text as cluster, lsn::text, pg_walfile_name(lsn) as segment
        from written, pg_control_system()`,
  });
  return rows[0] ?? null;
}

async function selectHistory(connection: Queryable, timeline: string): Promise<string | null> {
  if (timeline === FIRST_TIMELINE) return '';
  const { rows } = await connection.query<{ readonly history: string | null }>({
    text: 'select pg_read_file($1, 0, $2, true) as history',
    values: [`pg_wal/${timeline}.history`, HISTORY_MAX_BYTES],
  });
  return rows[0]?.history ?? null;
}

/** A line each: number, where it was left, why. */
function ancestorsIn(history: string): readonly Ancestor[] {
  return [...history.matchAll(/^\s*(\d+)\s+([\dA-F]+\/[\dA-F]+)/gm)].map(
    ([, timeline = '', leftAt = '']) => ({ timeline: Number(timeline), leftAt }),
  );
}

/** No privilege, no such function, not supported here. */
const DENIED_STATES = new Set(['42501', '42883', '0A000']);

type Read<Result> = (connection: Queryable, timeline: string) => Promise<Result | null>;

/** What was denied once is not tried again: Postgres writes an error to its log each time. */
function unlessDenied<Result>(read: Read<Result>, onDenied: () => void): Read<Result> {
  let isDenied = () => false;
  const deny = () => {
    if (isDenied()) return;
    isDenied = () => true;
    onDenied();
  };
  return async (connection, timeline) => {
    if (isDenied()) return null;
    try {
      return await read(connection, timeline);
    } catch (error) {
      if (!hasDeniedState(error)) throw error;
      deny();
      return null;
    }
  };
}

function hasDeniedState(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DENIED_STATES.has(String(error.code));
}
