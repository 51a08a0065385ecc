// Lists by time, newest first: of intents by their creation, of webhook events by their ids, which sort by time.
import { readRows, type Queryable } from '../database';

/**
 * What is rare is looked for by this many rows at a time. Beside a million intents that do not match that takes 0.5 s, in
 * 44 statements of at most 25 ms; a single one would outlive its timeout on a larger table.
 */
const ROWS_PER_STATEMENT = 20_000;

/** A value of the column that a list is ordered by. */
type Position = string | Date;

export interface TimeOrder {
  readonly table: 'payment_intents' | 'webhook_events';
  readonly column: 'created_at' | 'event_id';
  /** Sorts after every row that there can be: the list begins before it. */
  readonly beyond: Position;
  /** The last position to read. */
  readonly oldest: Position;
  readonly limit: number;
}

export interface Page {
  readonly before: Position;
  readonly from: Position;
  readonly limit: number;
}

/** @param readPage answers the rows that match with positions below `before` and not below `from`, newest first */
export async function newestFirst<Row>(
  database: Queryable,
  order: TimeOrder,
  readPage: (page: Page) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  let before: Position | undefined = order.beyond;
  while (before !== undefined && found.length < order.limit) {
    const from: Position | undefined = await findPageEnd(database, order, before);
    const limit = order.limit - found.length;
    found.push(...(await readPage({ before, from: from ?? order.oldest, limit })));
    before = from;
  }
  return found;
}

/** The id at which the next page's rows end, or undefined when they are the last. */
async function findPageEnd(
  database: Queryable,
  { table, column, oldest }: TimeOrder,
  before: Position,
): Promise<Position | undefined> {
  const [end] = await readRows<{ readonly position: Position }>(database, {
    text: `select ${column} as position from ${table}
            where ${column} < $1 and ${column} >= $2
            order by ${column} desc
           offset $3 limit 1`,
    values: [before, oldest, ROWS_PER_STATEMENT - 1],
  });
  return end?.position;
}
