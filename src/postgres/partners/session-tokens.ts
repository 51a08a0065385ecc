// Port `SessionTokenStore` over Postgres: one statement per decision, so that no two requests
// answer for the same token.
import type {
  ConfirmAnswer,
  SessionTokenStore,
  StoredPayload,
  TokenLookup,
} from '../../ports/partners';
import type { IntentId, PartnerId } from '../../domain/ids';
import { readOne, readRows, type Queryable } from '../database';
import { batchedRows, createBatching, listsOf } from '../batching';
import { closedBy } from './closures';
import { hashOf, SHOWN } from '../payouts/quotes';
import { INTENT_COLUMNS_AS_SEEN, toPaymentIntent, type IntentRow } from '../intents/row';

interface LookupRow extends Partial<IntentRow>, Omit<TokenLookup, 'intent'> {}

interface AnswerRow extends IntentRow {
  readonly is_answerer: boolean;
  /**
   * `open`: it authorized this intent, and no other request answers for it. Null: it was never
   * used.
   */
  readonly token_use: 'open' | 'spent' | null;
  /** Whether the code that came with the request is the intent's; true without one. */
  readonly is_payload_of_intent: boolean;
}

interface Lookup {
  readonly intentId: IntentId;
  readonly partnerId: PartnerId;
  readonly jtiHash: string;
}

export function createSessionTokenStore(database: Queryable): SessionTokenStore {
  const readTogether = createBatching((lookups: readonly Lookup[]) =>
    readRows<LookupRow>(database, {
      name: 'read-tokens',
      text: READ_TOKENS,
      values: listsOf(lookups, 'intentId', 'partnerId', 'jtiHash'),
    }),
  );
  return {
    async readToken(intentId, partnerId, jtiHash) {
      const row = await readTogether({ intentId, partnerId, jtiHash });
      const { token, directoryVersion, closed } = row;
      return {
        intent: isIntentRow(row) ? toPaymentIntent(row) : undefined,
        token,
        directoryVersion,
        closed,
      };
    },

    async storePayload(intentId, token, { qrPayload, local, quoteId, shown }) {
      const { stored } = await readOne<{ readonly stored: StoredPayload }>(database, {
        name: 'store-confirm-payload',
        text: STORE_PAYLOAD,
        values: [
          ...[intentId, token.jtiHash, qrPayload, new Date(token.expiresAtMs)],
          ...[local?.currency, local?.minor, quoteId, shown && JSON.stringify(shown)],
        ],
      });
      return stored;
    },

    async answerConfirm(intentId, token, requestId, payload) {
      const { partnerId, jtiHash, expiresAtMs } = token;
      const [row] = await readRows<AnswerRow>(database, {
        name: 'answer-confirm',
        text: ANSWER_CONFIRM,
        values: [
          ...[intentId, partnerId, jtiHash, new Date(expiresAtMs), requestId],
          ...[payload?.qrPayload, payload?.quoteId],
        ],
      });
      return row && { answer: decide(row), intent: toPaymentIntent(row) };
    },
  };
}

/**
 * The first code and quote of a token stay, even among simultaneous requests. Only a repeat writes
 * the row again: `do nothing` would neither wait for a first one that is committing nor return it.
 * The transition that the token authorizes adopts the row: see transition-statements.ts.
 *
 * With a quote the intent is share-locked before the clock is read. So no authorize is under way
 * that may still find unexpired what has expired here. A row whose quote has expired is deleted, so
 * that the token may bring another.
 */
const STORE_PAYLOAD = `
  with clock as materialized (
    select service_now() as now, intent.is_created
      from (select coalesce(bool_or(locked.status = 'created'), false) as is_created
              from (select i.status from payment_intents i
                     where i.intent_id = $1
                       and ($7::text is not null
                            or exists (select from confirm_payloads p
                                        where p.intent_id = $1 and p.quote_id is not null
                                          and p.jti_hash = decode($2, 'hex')))
                       for share) as locked) as intent
  ),
  given as materialized (
    select q.quote_id, q.local_currency, q.local_minor,
           case when $7::text is null then null
                when not clock.is_created then 'not_created'
                when q.quote_id is null then 'quote_unknown'
                when $8::jsonb <> ${SHOWN} then 'shown_differs'
                when q.expires_at <= clock.now then 'quote_expired' end as fault
      from clock left join quotes q
           on q.quote_id = $7 and q.intent_id = $1 and q.code_hash = ${hashOf('$3')}
  ),
  deleted as (
    delete from confirm_payloads p using clock, quotes q
     where clock.is_created and p.intent_id = $1 and p.jti_hash = decode($2, 'hex')
       and q.quote_id = p.quote_id and q.expires_at <= clock.now
    returning p.jti_hash
  ),
  stored as (
    insert into confirm_payloads as stored (intent_id, jti_hash, qr_payload, expires_at,
                                            local_currency, local_minor, quote_id, shown)
    select $1, decode($2, 'hex'), $3, $4::timestamptz, coalesce(local_currency, $5),
           coalesce(local_minor, $6), $7, $8::jsonb
      from given where fault is null and (select count(*) from deleted) >= 0
        on conflict (intent_id, jti_hash) do update
       set expires_at = greatest(stored.expires_at, excluded.expires_at)
    returning qr_payload = $3 and ($7::text is null or quote_id is not distinct from $7) as is_same
  )
  select coalesce(fault, case when (select is_same from stored) then 'stored'
                              else 'other_payload' end) as stored
    from given`;

/**
 * Finds each row by its primary key, however many rows are stored: `offset 0` prevents the planner
 * from making one join of it, which may read a table in full (decision 121). Every parameter was
 * parsed or made by us, so that no caller's input can make the statement fail for the others.
 */
const READ_TOKENS = `
  select coalesce((
           select case when t.intent_id <> batch.intent_id then 'elsewhere'
                       when t.answered_by is null then 'unanswered' else 'answered' end
             from used_tokens t
            where t.partner_id = batch.partner_id and t.jti_hash = decode(batch.jti_hash, 'hex')
         ), 'unused') as token,
         (select version from directory_version) as "directoryVersion",
         ${closedBy('found.corridor', 'batch.partner_id')} as closed, found.*
    from ${batchedRows(1, { intent_id: 'text', partner_id: 'text', jti_hash: 'text' })}
    left join lateral (
           select ${INTENT_COLUMNS_AS_SEEN} from payment_intents i
            where i.intent_id = batch.intent_id offset 0
         ) as found on true
   order by batch.ordinal`;

/**
 * This request is accepted in two cases: it is the first to answer for a token that authorized the
 * intent; or the intent was authorized by another token, and this token is recorded as used and
 * answered at once. The primary key decides races. A scanned code and a quote that came with the
 * request must be those that were adopted in the commit of that authorization (decision 20).
 */
const ANSWER_CONFIRM = `
  with code as (
    select $6::text is null or exists (
             select from confirm_payloads p
              where p.intent_id = $1 and p.is_adopted and p.qr_payload = $6
                and ($7::text is null or p.quote_id = $7)
           ) as is_of_intent
  ),
  claimed_answer as (
    update used_tokens set answered_by = $5
     where partner_id = $2 and jti_hash = decode($3, 'hex') and intent_id = $1
       and (answered_by is null or answered_by = $5)
       and (select is_of_intent from code)
    returning intent_id
  ),
  recorded as (
    insert into used_tokens (partner_id, jti_hash, intent_id, expires_at, answered_by)
    select $2, decode($3, 'hex'), i.intent_id, $4, $5
      from payment_intents i
     where i.intent_id = $1 and i.status = 'authorized' and (select is_of_intent from code)
       and not exists (select from used_tokens t
                        where t.partner_id = $2 and t.jti_hash = decode($3, 'hex'))
        on conflict (partner_id, jti_hash) do nothing
    returning intent_id
  )
  select ${INTENT_COLUMNS_AS_SEEN},
         exists (select from claimed_answer) or exists (select from recorded) as is_answerer,
         (select case when t.intent_id = $1 and (t.answered_by is null or t.answered_by = $5)
                      then 'open' else 'spent' end
            from used_tokens t
           where t.partner_id = $2 and t.jti_hash = decode($3, 'hex')) as token_use,
         (select is_of_intent from code) as is_payload_of_intent
    from payment_intents i where i.intent_id = $1`;

function decide(row: AnswerRow): ConfirmAnswer['answer'] {
  if (row.is_answerer) return 'accepted';
  if (row.token_use === 'spent') return 'spent';
  // Another request was faster with this token, unless the scanned code prevented the answer.
  const isConfirmed = row.token_use === 'open' || row.status === 'authorized';
  if (isConfirmed) return row.is_payload_of_intent ? 'spent' : 'other_payload';
  return row.status === 'created' ? 'undecided' : 'conflict';
}

function isIntentRow(row: Partial<IntentRow>): row is IntentRow {
  return typeof row.intent_id === 'string';
}
