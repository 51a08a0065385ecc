// Lists of intents for operations.
import type { Corridor } from '../../corridors/names';
import type { IntentStatus } from '../../domain/intents/payment-intent';
import { readRows, type Queryable } from '../database';
import { OPEN_ATTENTION, type OpenAttention } from '../intents/attention';
import { INTENT_COLUMNS, type IntentRow } from '../intents/row';
import { byCreation, readNewestFirst, type Period } from './newest-first';

export interface IntentFilter extends Period {
  readonly status?: IntentStatus | undefined;
  readonly partnerId?: string | undefined;
  readonly amountUsdCents?: number | undefined;
  readonly corridor?: Corridor | undefined;
  /** Only payments that failed for this reason. */
  readonly failedFor?: string | undefined;
  /** The list goes on after this payment. */
  readonly after?: Pick<ListedIntentRow, 'intent_id' | 'created_at'> | undefined;
  readonly limit: number;
}

export interface ListedIntentRow extends IntentRow {
  /** Why it has its status, where that was recorded. */
  readonly reason: string | null;
  /** What is open, the oldest first. */
  readonly attention: readonly OpenAttention[];
  readonly attention_since: Date | null;
  /** For how long it has needed attention, by the database's clock. */
  readonly attention_seconds: number | null;
}

const REASON = `(select t.reason from intent_transitions t
                where t.intent_id = i.intent_id and t.to_status = i.status)`;

const COLUMNS = `${INTENT_COLUMNS}, ${REASON} as reason,
       ${OPEN_ATTENTION} as attention, i.attention_since,
       floor(extract(epoch from service_now() - i.attention_since))::bigint as attention_seconds`;

const MATCHES = `($2::text is null or i.status = $2)
              and ($3::text is null or i.partner_id = $3)
              and ($4::timestamptz is null or i.created_at >= $4)
              and ($5::timestamptz is null or i.created_at < $5)
              and ($6::bigint is null or i.amount_usd_cents = $6)
              and ($7::text is null or i.corridor = $7)
              and ($8::text is null or i.status = 'failed' and exists (
                     select from intent_transitions t
                      where t.to_status = 'failed' and left(t.reason, 100) = left($8, 100)
                        and t.reason = $8 and t.intent_id = i.intent_id))`;

/** Undefined if there is no such intent. */
export async function findListed(
  database: Queryable,
  intentId: string,
): Promise<ListedIntentRow | undefined> {
  const text = `select ${COLUMNS} from payment_intents i where i.intent_id = $1`;
  return (await readRows<ListedIntentRow>(database, { text, values: [intentId] }))[0];
}

/** Intents, newest first. */
export function listIntents(
  database: Queryable,
  filter: IntentFilter,
): Promise<readonly ListedIntentRow[]> {
  const { after, since } = filter;
  // Times are whole milliseconds: the page has every intent of the time of the last one.
  const until = after === undefined ? filter.until : new Date(after.created_at.getTime() + 1);
  const order = byCreation({ since, until }, filter.limit);
  return readNewestFirst(database, order, ({ before, from, limit }) =>
    readRows<ListedIntentRow>(database, {
      text: `select ${COLUMNS} from payment_intents i
              where i.created_at < $9 and i.created_at >= $10 and ${MATCHES}
                and ($11::timestamptz is null or (i.created_at, i.intent_id) < ($11, $12))
              order by i.created_at desc, i.intent_id desc
              limit $1`,
      values: [...matching(filter, limit), before, from, after?.created_at, after?.intent_id],
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
              and ($9::text is null or (i.attention_since, i.intent_id) >
                   (select a.attention_since, a.intent_id from payment_intents a
                     where a.intent_id = $9))
            order by i.attention_since, i.intent_id
            limit $1`,
    values: [...matching(filter, filter.limit), filter.after?.intent_id],
  });
}

/** $1 the limit, $2 to $8 the filter. */
function matching(filter: IntentFilter, limit: number): readonly unknown[] {
  const { status, partnerId, since, until, amountUsdCents, corridor, failedFor } = filter;
  return [limit, status, partnerId, since, until, amountUsdCents, corridor, failedFor];
}
