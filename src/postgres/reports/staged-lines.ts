// The lines of a statement in a temporary table of one connection, so that memory does not grow
// with the statement and Postgres reconciles them with the payments (decision 130). The table ends
// with the connection.
import { CORRIDORS, type Corridor } from '../../corridors/names';
import type { Period, StatementLine } from '../../domain/reconciliation';
import type { Connection, Queryable } from '../database';
import { listsOf } from '../batching';

const TABLES = `
  create temporary table statement_lines (
    line bigint not null,
    payout_key text not null,
    intent_id text,
    amount_usd_cents bigint,
    local jsonb,
    cost numeric,
    corridor text not null,
    is_returned boolean not null,
    executed_at timestamptz not null
  )`;
/**
 * The index is filled while lines are inserted: building it afterwards would be one statement of
 * unbounded duration.
 */
const INDEX = 'create index on statement_lines (payout_key)';
/** The memory for the table's pages; Postgres writes all others to temporary files. */
const MEMORY = `set temp_buffers = '64MB'`;
/**
 * Pages are small and read by key. The planner knows too little of a temporary table to choose
 * other plans.
 */
const BY_KEY = 'set enable_hashjoin = off; set enable_mergejoin = off; set enable_seqscan = off';

const LINES_PER_STATEMENT = 5_000;

export interface StagedStatement {
  readonly lines: number;
  /** When the first and the last of the payments were executed; null without a line. */
  readonly executed: Period | null;
  /** Our corridors of which there is no line. */
  readonly unlisted: readonly Corridor[];
}

/** @param onProgress called with the number of lines stored so far */
export async function stageLines(
  connection: Connection,
  lines: AsyncIterable<StatementLine>,
  onProgress: (lines: number) => void,
): Promise<StagedStatement> {
  for (const text of [MEMORY, BY_KEY, TABLES, INDEX]) await connection.query({ text });
  let staged = 0;
  let [first, last] = [Infinity, -Infinity];
  let unlisted: readonly Corridor[] = CORRIDORS;
  for await (const batch of batches(lines)) {
    await insert(connection, batch);
    for (const { executedAtMs } of batch) {
      first = Math.min(first, executedAtMs);
      last = Math.max(last, executedAtMs);
    }
    unlisted = unlisted.filter((one) => batch.every(({ corridor }) => corridor !== one));
    staged += batch.length;
    onProgress(staged);
  }
  await connection.query({ text: 'analyze statement_lines' });
  const executed = staged === 0 ? null : { since: new Date(first), until: new Date(last) };
  return { lines: staged, executed, unlisted };
}

async function* batches(
  lines: AsyncIterable<StatementLine>,
): AsyncGenerator<readonly StatementLine[]> {
  let batch: StatementLine[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < LINES_PER_STATEMENT) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function insert(connection: Queryable, batch: readonly StatementLine[]): Promise<void> {
  await connection.query({
    name: 'stage-statement-lines',
    text: `insert into statement_lines (line, payout_key, intent_id, amount_usd_cents, local, cost,
                                        corridor, is_returned, executed_at)
           select line, payout_key, intent_id, amount_usd_cents, local, cost, corridor, is_returned,
                  to_timestamp(executed_at_ms / 1000)
             from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::jsonb[],
                         $6::numeric[], $7::text[], $8::boolean[], $9::float8[])
               as batch (line, payout_key, intent_id, amount_usd_cents, local, cost, corridor,
                         is_returned, executed_at_ms)`,
    values: listsOf(
      batch,
      ...(['line', 'key', 'intentId', 'amountUsdCents', 'local', 'cost'] as const),
      ...(['corridor', 'isReturned', 'executedAtMs'] as const),
    ),
  });
}
