// Reads the position of Postgres' log (WAL), as far as the role is permitted to (decision 127).
import { systemCodeOf } from '../../domain/errors';
import type { Ancestor, LogPosition } from '../../domain/log-position';
import type { Log } from '../../ports/log';
import { readOne, type Queryable } from '../database';

export interface LogPositions {
  /** Null if the role may not read it, and on a standby. */
  read(connection: Queryable): Promise<LogPosition | null>;
}

interface PositionRow {
  readonly cluster: string;
  readonly lsn: string | null;
  /** The segment's name: its first eight digits are the timeline. */
  readonly segment: string;
}

const POSITION_DENIED =
  'the position of the log of Postgres may not be read: ' +
  'a restore is noticed by counts and by age only (docs/restore.md)';
const HISTORY_DENIED =
  'where the timeline of Postgres branched may not be read: ' +
  'a failover that lost commits is noticed by counts and by age only (docs/restore.md)';

/** A denied read is logged once and not tried again, since Postgres logs an error for each try. */
export function createLogPositions(log: Log): LogPositions {
  const denied = new Set<string>();
  const unlessDenied = async <Result>(read: () => Promise<Result>, warning: string) => {
    if (denied.has(warning)) return null;
    try {
      return await read();
    } catch (error) {
      if (!DENIED_STATES.has(systemCodeOf(error))) throw error;
      if (!denied.has(warning)) log.warn({}, warning);
      denied.add(warning);
      return null;
    }
  };
  return {
    async read(connection) {
      const row = await unlessDenied(() => selectPosition(connection), POSITION_DENIED);
      if (typeof row?.lsn !== 'string') return null;
      const timeline = row.segment.slice(0, TIMELINE_DIGITS);
      const history = await unlessDenied(() => readHistory(connection, timeline), HISTORY_DENIED);
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
 * The message makes the statement wait until its commit is as durable as any other, so a position
 * is never one that a promoted standby may lack without a loss. It takes about 60 bytes of log and
 * is in no table.
 */
function selectPosition(connection: Queryable): Promise<PositionRow> {
  return readOne(connection, {
    text: `
      with written as materialized (
        select case when not pg_is_in_recovery()
                    then pg_logical_emit_message(true, 'restore-watch', '') end as lsn
      )
      select system_identifier::text as cluster, lsn::text, pg_walfile_name(lsn) as segment
        from written, pg_control_system()`,
  });
}

async function readHistory(connection: Queryable, timeline: string): Promise<string | null> {
  if (timeline === FIRST_TIMELINE) return '';
  const { history } = await readOne<{ readonly history: string | null }>(connection, {
    text: 'select pg_read_file($1, 0, $2, true) as history',
    values: [`pg_wal/${timeline}.history`, HISTORY_MAX_BYTES],
  });
  return history;
}

/** Each line has the number of a timeline, the position where it was left, and the reason. */
function ancestorsIn(history: string): readonly Ancestor[] {
  return [...history.matchAll(/^\s*(\d+)\s+([\dA-F]+\/[\dA-F]+)/gm)].map(
    ([, timeline = '', leftAt = '']) => ({ timeline: Number(timeline), leftAt }),
  );
}

/** SQLSTATEs: no privilege, no such function, not supported. */
const DENIED_STATES = new Set(['42501', '42883', '0A000']);
