// What one captured payment with its webhook writes: write-ahead log, rows and bytes in our
// Postgres and in that of Temporal.
import type { Database } from '../../../src/postgres/database';
import type { Pace } from './growth';
import type { ScaledSystem } from './scaled-system';

/** Costs of one payment, by name. */
export type Costs = Readonly<Record<string, number>>;

interface Written {
  readonly wal: number;
  readonly rows: number;
  readonly bytes: number;
}

const PAYMENTS = 600;
const QUICK_PAYMENTS = 40;
const AT_ONCE = 200;

export async function measureCosts(
  system: ScaledSystem,
  { isQuick, printProgress }: Pace,
): Promise<Costs> {
  const payments = isQuick ? QUICK_PAYMENTS : PAYMENTS;
  const { database, executions } = system;
  const before = { ours: await written(database), temporals: await written(executions) };
  for (let done = 0; done < payments; done += AT_ONCE) {
    const count = Math.min(AT_ONCE, payments - done);
    // The block creates its payments too, so the figures include their creates.
    await system.runBlock('confirm', count);
    printProgress(`costs: ${String(done + count)} of ${String(payments)} payments`);
  }
  const after = { ours: await written(database), temporals: await written(executions) };
  return {
    ...each('our Postgres', { before: before.ours, after: after.ours, payments }),
    ...each("Temporal's Postgres", { before: before.temporals, after: after.temporals, payments }),
  };
}

async function written(database: Database): Promise<Written> {
  await database.query({ text: 'select pg_stat_force_next_flush()' });
  const { rows } = await database.query<Written>({
    text: `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
                  pg_database_size(current_database())::float8 as bytes,
                  (select sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 from pg_stat_user_tables) as rows`,
  });
  if (rows[0] === undefined) throw new Error('Postgres returned no statistics');
  return rows[0];
}

interface Span {
  readonly before: Written;
  readonly after: Written;
  readonly payments: number;
}

function each(name: string, { before, after, payments }: Span): Readonly<Record<string, number>> {
  return {
    [`${name}: write-ahead log, bytes`]: (after.wal - before.wal) / payments,
    [`${name}: rows written`]: (after.rows - before.rows) / payments,
    [`${name}: bytes kept`]: (after.bytes - before.bytes) / payments,
  };
}
