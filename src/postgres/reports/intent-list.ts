// Lists of intents for operations.
import type { IntentStatus } from '../../domain/intents/payment-intent';
import { readRows, type Queryable } from '../database';
import { OPEN_ATTENTION, type OpenAttention } from '../intents/attention';
import { INTENT_COLUMNS, type IntentRow } from '../intents/row';
import { readNewestFirst } from './newest-first';

interface IntentFilter {
  readonly status?: IntentStatus | undefined;
  readonly partnerId?: string | undefined;
  readonly since?: Date | undefined;
  readonly limit: number;
}

export interface ListedIntentRow extends IntentRow {
  /** What is open, the oldest first. */
  readonly attention: readonly OpenAttention[];
  readonly attention_since: Date | null;
  /** For how long it has needed attention, by the database's clock. */
  readonly attention_seconds: number | null;
}

const COLUMNS = `${INTENT_COLUMNS}, ${OPEN_ATTENTION} as attention, i.attention_since,
       floor(extract(epoch from service_now() - i.attention_since))::bigint as attention_seconds`;

const MATCHES = `($1::text is null or i.status = $1)
              and ($2::text is null or i.partner_id = $2)
              and ($3::timestamptz is null or i.created_at >= $3)`;

/** Intents, newest first. */
export function listIntents(
  database: Queryable,
  filter: IntentFilter,
): Promise<readonly ListedIntentRow[]> {
  const order = {
    table: 'payment_intents',
    column: 'created_at',
    beyond: 'infinity',
    oldest: filter.since ?? '-infinity',
    limit: filter.limit,
  } as const;
  return readNewestFirst(database, order, ({ before, from, limit }) =>
    readRows<ListedIntentRow>(database, {
      text: `select ${COLUMNS} from payment_intents i
              where i.created_at < $5 and i.created_at >= $6 and ${MATCHES}
              order by i.created_at desc, i.intent_id desc
              limit $4`,
      values: [...matching(filter), limit, before, from],
    }),
  );
}

/**
 * Intents that need attention, the longest waiting first. Their partial index holds nothing else.
 */
export function listAttention(
  database: Queryable,
  filter: IntentFilter,
): Promise<readonly ListedIntentRow[]> {
  return readRows(database, {
    text: `select ${COLUMNS} from payment_intents i
            where i.attention_since is not null and ${MATCHES}
            order by i.attention_since, i.intent_id
            limit $4`,
    values: [...matching(filter), filter.limit],
  });
}

function matching({ status, partnerId, since }: IntentFilter): readonly unknown[] {
  return [status ?? null, partnerId ?? null, since ?? null];
}
