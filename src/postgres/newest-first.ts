// Lists by the order of ids, newest first: ids made later sort later (architecture, section 5), so the primary key is the
// order of time, and no index of its own slows a write down.
import type { Queryable } from './database';

/**
 * What is rare is looked for by this many rows at a time. Beside a million intents that do not match that takes 0.5 s, in
 * 44 statements of at most 25 ms; a single one would outlive its timeout on a larger table.
 */
const ROWS_PER_STATEMENT = 50_000;

export interface IdOrder {
  readonly table: 'payment_intents' | 'webhook_events';
  readonly id: 'intent_id' | 'event_id';
  /** Sorts after every id that there can be: the list begins before it. */
  readonly beyond: string;
  /** The last id to look at. */
  readonly oldest: string;
  readonly limit: number;
}

export interface IdPage {
  readonly before: string;
  readonly from: string;
  readonly limit: number;
}

/** @param readPage answers the rows that match with ids below `before` and not below `from`, newest first */
export async function newestFirst<Row>(
  database: Queryable,
  order: IdOrder,
  readPage: (page: IdPage) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  let before: string | undefined = order.beyond;
  while (before !== undefined && found.length < order.limit) {
    const from: string | undefined = await findPageEnd(database, order, before);
    const limit = order.limit - found.length;
    found.push(...(await readPage({ before, from: from ?? order.oldest, limit })));
    before = from;
  }
  return found;
}

/** The id at which the next page's rows end, or undefined when they are the last. */
async function findPageEnd(
  database: Queryable,
  { table, id, oldest }: IdOrder,
  before: string,
): Promise<string | undefined> {
  const { rows } = await database.query<{ readonly id: string }>({
    text: `select ${id} as id from ${table}
            where ${id} < $1 and ${id} >= $2
            order by ${id} desc
           offset $3 limit 1`,
    values: [before, oldest, ROWS_PER_STATEMENT - 1],
  });
  return rows[0]?.id;
}
