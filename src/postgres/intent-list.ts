// Lists of intents for operations.
import { ID_RANDOM_BYTES, makeIntentId } from '../domain/ids';
import type { IntentStatus } from '../domain/payment-intent';
import type { Queryable } from './database';
import { INTENT_COLUMNS, type IntentRow } from './intent-row';
import { newestFirst, type IdPage } from './newest-first';

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

/** The id has the API's clock and `created_at` the database's: this much they may differ. */
const CLOCKS_DIFFER_MAX_MS = 15 * 60_000;
const BEYOND_EVERY_ID = `pi_${'z'.repeat(26)}`;

/** Newest first. */
export function listIntents(
  database: Queryable,
  filter: IntentFilter,
): Promise<readonly ListedIntentRow[]> {
  const order = {
    table: 'payment_intents',
    id: 'intent_id',
    beyond: BEYOND_EVERY_ID,
    oldest: oldestId(filter.since),
    limit: filter.limit,
  } as const;
  return newestFirst(database, order, (page) => readPage(database, filter, page));
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

async function readPage(
  database: Queryable,
  filter: IntentFilter,
  { before, from, limit }: IdPage,
): Promise<readonly ListedIntentRow[]> {
  const { rows } = await database.query<ListedIntentRow>({
    text: `select ${COLUMNS} from payment_intents i
            where i.intent_id < $5 and i.intent_id >= $6 and ${MATCHES}
            order by i.intent_id desc
            limit $4`,
    values: [...matching(filter), limit, before, from],
  });
  return rows;
}

function matching({ status, partnerId, since }: IntentFilter): readonly unknown[] {
  return [status ?? null, partnerId ?? null, since ?? null];
}

/** The smallest id that an intent created at that instant can have: the clock that made the id may be behind the database's. */
function oldestId(since: Date | undefined): string {
  const epochMs = Math.max(0, (since?.getTime() ?? 0) - CLOCKS_DIFFER_MAX_MS);
  return makeIntentId(epochMs, new Uint8Array(ID_RANDOM_BYTES));
}
