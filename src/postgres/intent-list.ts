// Lists of intents for operations. Ids made later sort later (architecture, section 5), so the primary key is the order
// of time, and no index of its own slows a create down.
import { ID_RANDOM_BYTES, makeIntentId } from '../domain/ids';
import type { IntentStatus } from '../domain/payment-intent';
import type { Queryable } from './database';
import { INTENT_COLUMNS, type IntentRow } from './intent-row';

export interface IntentFilter {
  readonly status?: IntentStatus | undefined;
  readonly partnerId?: string | undefined;
  readonly since?: Date | undefined;
  readonly limit: number;
}

export interface ListedIntentRow extends IntentRow {
  readonly attention_reason: string | null;
  readonly attention_since: Date | null;
  /** For how long it has needed attention, by the database's clock. */
  readonly attention_seconds: number | null;
}

const COLUMNS = `${INTENT_COLUMNS}, i.attention_reason, i.attention_since,
       floor(extract(epoch from service_now() - i.attention_since))::bigint as attention_seconds`;

const MATCHES = `($1::text is null or i.status = $1)
              and ($2::text is null or i.partner_id = $2)
              and ($3::timestamptz is null or i.created_at >= $3)`;

/**
 * A rare partner or status is looked for by this many rows at a time, newest first. Beside a million rows that do not
 * match that takes 0.5 s, in 44 statements of at most 25 ms; a single one would outlive its timeout on a larger table.
 */
const ROWS_PER_STATEMENT = 50_000;
/** The id has the API's clock and `created_at` the database's: this much they may differ. */
const CLOCKS_DIFFER_MAX_MS = 15 * 60_000;
const BEYOND_EVERY_ID = `pi_${'z'.repeat(26)}`;

/** Newest first. */
export async function listIntents(
  database: Queryable,
  filter: IntentFilter,
): Promise<readonly ListedIntentRow[]> {
  const oldest = oldestId(filter.since);
  const found: ListedIntentRow[] = [];
  let before: string | undefined = BEYOND_EVERY_ID;
  while (before !== undefined && found.length < filter.limit) {
    const from: string | undefined = await findPageEnd(database, { before, oldest });
    const limit = filter.limit - found.length;
    found.push(...(await readPage(database, { ...filter, limit }, [before, from ?? oldest])));
    before = from;
  }
  return found;
}

/** What needs people, the longest waiting first. Its partial index holds nothing else. */
export async function listAttention(
  database: Queryable,
  filter: IntentFilter,
): Promise<readonly ListedIntentRow[]> {
  const { rows } = await database.query<ListedIntentRow>({
    text: `select ${COLUMNS} from payment_intents i
            where i.attention_since is not null and ${MATCHES}
            order by i.attention_since, i.intent_id
            limit $4`,
    values: [...matching(filter), filter.limit],
  });
  return rows;
}

interface Range {
  readonly before: string;
  readonly oldest: string;
}

/** The id at which the next page's rows end, or undefined when they are the last. */
async function findPageEnd(
  database: Queryable,
  { before, oldest }: Range,
): Promise<string | undefined> {
  const { rows } = await database.query<Pick<IntentRow, 'intent_id'>>({
    text: `select intent_id from payment_intents
            where intent_id < $1 and intent_id >= $2
            order by intent_id desc
           offset $3 limit 1`,
    values: [before, oldest, ROWS_PER_STATEMENT - 1],
  });
  return rows[0]?.intent_id;
}

async function readPage(
  database: Queryable,
  filter: IntentFilter,
  [before, from]: readonly [string, string],
): Promise<readonly ListedIntentRow[]> {
  const { rows } = await database.query<ListedIntentRow>({
    text: `select ${COLUMNS} from payment_intents i
            where i.intent_id < $5 and i.intent_id >= $6 and ${MATCHES}
            order by i.intent_id desc
            limit $4`,
    values: [...matching(filter), filter.limit, before, from],
  });
  return rows;
}

function matching({ status, partnerId, since }: IntentFilter): readonly unknown[] {
  return [status ?? null, partnerId ?? null, since ?? null];
}

/** The id that one made at that time, by a clock that is behind, could have at the least. */
function oldestId(since: Date | undefined): string {
  const epochMs = Math.max(0, (since?.getTime() ?? 0) - CLOCKS_DIFFER_MAX_MS);
  return makeIntentId(epochMs, new Uint8Array(ID_RANDOM_BYTES));
}
