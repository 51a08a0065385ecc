// For tests of query plans: many rows, and the plan of each statement.
import type { QueryConfig, QueryResultRow } from 'pg';
import type { Database } from '../../../src/postgres/database';

/**
 * Wraps a database and records the plan of each statement: the generic plan, or the plan for its
 * parameters.
 */
export function explaining(database: Database, isGeneric = true) {
  const plans: string[] = [];
  // The signature of the interface: the statement decides the row type.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  const query = async <Row extends QueryResultRow>(statement: QueryConfig) => {
    const { text, values = [] } = statement;
    const plan = isGeneric
      ? { text: `explain (generic_plan) ${text}` }
      : { text: `explain ${text}`, values };
    plans.push(JSON.stringify((await database.query(plan)).rows));
    return database.query<Row>(statement);
  };
  return { database: { ...database, query }, plans };
}

const ROWS_PER_STATEMENT = 10_000;

/**
 * Inserts intents of the partner, a millisecond apart, without table statistics. Several
 * statements, because one could time out on a busy machine.
 */
export async function addIntents(
  database: Database,
  partnerId: string,
  count: number,
): Promise<void> {
  for (let first = 1; first <= count; first += ROWS_PER_STATEMENT) {
    await database.query({
      text: `insert into payment_intents (intent_id, partner_id, partner_user_id, amount_usd_cents,
                                          corridor, created_at, expires_at)
             select 'pi_1' || lpad(n::text, 25, '0'), $1, 'u', 1, 'th_qrpay', now.at, now.at
               from generate_series($2::int, $2 + $3 - 1) as n,
                    lateral (select service_now() + n * interval '1 ms' as at) as now`,
      values: [partnerId, first, ROWS_PER_STATEMENT],
    });
  }
}
