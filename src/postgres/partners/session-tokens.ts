// Port `SessionTokenStore` over Postgres: one statement per decision, so that no two requests
// answer for the same token.
import type { ConfirmAnswer, SessionTokenStore, TokenLookup } from '../../ports/partners';
import type { IntentId, PartnerId } from '../../domain/ids';
import { readOne, readRows, type Queryable } from '../database';
import { batchedRows, createBatching, listsOf } from '../batching';
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
      const { token, directoryVersion } = row;
      return {
        intent: isIntentRow(row) ? toPaymentIntent(row) : undefined,
        token,
        directoryVersion,
      };
    },

    async storePayload(intentId, token, qrPayload, local) {
      const amount = [local?.currency ?? null, local?.minor ?? null];
      const { isFirst } = await readOne<{ readonly isFirst: boolean }>(database, {
        name: 'store-confirm-payload',
        text: STORE_PAYLOAD,
        values: [intentId, token.jtiHash, qrPayload, new Date(token.expiresAtMs), ...amount],
      });
      return isFirst;
    },

    async answerConfirm(intentId, token, requestId, qrPayload) {
      const { partnerId, jtiHash, expiresAtMs } = token;
      const [row] = await readRows<AnswerRow>(database, {
        name: 'answer-confirm',
        text: ANSWER_CONFIRM,
        values: [intentId, partnerId, jtiHash, new Date(expiresAtMs), requestId, qrPayload ?? null],
      });
      return row && { answer: decide(row), intent: toPaymentIntent(row) };
    },
  };
}

/**
 * The first scanned code of a token stays, even among simultaneous requests; false means that this
 * is another code. Only a repeat writes the row again: `do nothing` would neither wait for a first
 * one that is committing nor return it. The transition that the token authorizes adopts the code:
 * see transition-statements.ts.
 */
const STORE_PAYLOAD = `
  insert into confirm_payloads as stored (intent_id, jti_hash, qr_payload, expires_at,
                                          local_currency, local_minor)
  values ($1, decode($2, 'hex'), $3, $4, $5, $6)
      on conflict (intent_id, jti_hash) do update
     set expires_at = greatest(stored.expires_at, excluded.expires_at)
  returning stored.qr_payload = $3 as "isFirst"`;

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
         found.*
    from ${batchedRows(1, { intent_id: 'text', partner_id: 'text', jti_hash: 'text' })}
    left join lateral (
           select ${INTENT_COLUMNS_AS_SEEN} from payment_intents i
            where i.intent_id = batch.intent_id offset 0
         ) as found on true
   order by batch.ordinal`;

/**
 * This request is accepted in two cases: it is the first to answer for a token that authorized the
 * intent; or the intent was authorized by another token, and this token is recorded as used and
 * answered at once. The primary key decides races. A scanned code that came with the request must
 * be the one that was adopted in the commit of that authorization (decision 20).
 */
const ANSWER_CONFIRM = `
  with code as (
    select $6::text is null or exists (
             select from confirm_payloads p
              where p.intent_id = $1 and p.is_adopted and p.qr_payload = $6
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
