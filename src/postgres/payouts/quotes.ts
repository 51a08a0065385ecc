// Port `QuoteStore` over Postgres. No lock is held while the provider is asked: the row of the
// intent's requests says until when one is under way.
import {
  QUOTE_LIVES_SECONDS,
  QUOTE_REQUEST_MAX_SECONDS,
  QUOTED_CODES_PER_INTENT_MAX,
  QUOTES_PER_INTENT_MAX,
  QUOTES_PER_PARTNER_MAX,
  QUOTES_PER_PARTNER_SECOND,
} from '../../domain/payouts/limits';
import type { QuoteDenial, QuoteStore } from '../../ports/quotes';
import { readOne, type Queryable } from '../database';
import { printable } from './details';

export function createQuoteStore(database: Queryable): QuoteStore {
  return {
    async begin(intentId, qrPayload) {
      const denied = await readOne<QuoteDenial | { readonly why: null }>(database, {
        name: 'begin-quote',
        text: BEGIN,
        values: [intentId, qrPayload],
      });
      return denied.why === null ? undefined : denied;
    },

    async end(intentId, quote) {
      if (quote === undefined) {
        await database.query({ name: 'end-quote', text: END, values: [intentId] });
        return undefined;
      }
      const { quoteId, qrPayload, account } = quote;
      const { payee, local, cost, token, firmUntil } = quote.inquiry;
      const stored = await readOne<{ readonly quote: object }>(database, {
        name: 'store-quote',
        text: STORE,
        values: [
          ...[intentId, quoteId, qrPayload, local.currency, local.minor],
          ...[printable(payee?.name ?? null), payee?.nameFrom, cost?.rate],
          ...[account, token, firmUntil],
        ],
      });
      return stored.quote;
    },
  };
}

/** What a payer sees of the quote `q`. A confirm may repeat it, and the two are compared. */
export const SHOWN = `jsonb_build_object(
           'payee', jsonb_build_object('name', q.payee_name,
                                       'verified', q.payee_from is not distinct from 'bank'),
           'local', jsonb_build_object('currency', q.local_currency, 'amount', q.local_minor),
           'rate', q.rate)`;

/** Of a scanned code, which may hold a card number. */
export const hashOf = (parameter: string): string => `sha256(convert_to(${parameter}, 'UTF8'))`;

const seconds = (number: number) => `interval '${String(number)} s'`;
const CODE = hashOf('$2');
const BUSY = seconds(QUOTE_REQUEST_MAX_SECONDS);
const STEP = seconds(1 / QUOTES_PER_PARTNER_SECOND);
const BUCKET = seconds(QUOTES_PER_PARTNER_MAX / QUOTES_PER_PARTNER_SECOND);

/**
 * The update of the intent's row decides by its newest version, so that of simultaneous requests
 * one begins. The bucket is read before that: simultaneous requests may overdraw it, and later ones
 * wait until that is made up. A crash of Postgres may forget requests of its last second.
 */
const BEGIN = `
  with quickly as materialized (select set_config('synchronous_commit', 'off', true)),
  clock as materialized (select service_now() as now from quickly),
  allowed as materialized (
    select i.intent_id, i.partner_id from clock, payment_intents i
     where i.intent_id = $1
       and not exists (select from partner_quotes b
                        where b.partner_id = i.partner_id and b.full_at > clock.now + ${BUCKET})
  ),
  begun as (
    insert into quote_requests as r (intent_id, requests, code_hashes, busy_until)
    select allowed.intent_id, 1, array[${CODE}], clock.now + ${BUSY} from allowed, clock
        on conflict (intent_id) do update
       set requests = r.requests + 1, busy_until = excluded.busy_until,
           code_hashes = case when ${CODE} = any (r.code_hashes) then r.code_hashes
                              else r.code_hashes || ${CODE} end
     where r.busy_until <= excluded.busy_until - ${BUSY}
       and r.requests < ${String(QUOTES_PER_INTENT_MAX)}
       and (${CODE} = any (r.code_hashes)
            or cardinality(r.code_hashes) < ${String(QUOTED_CODES_PER_INTENT_MAX)})
    returning intent_id
  ),
  counted as (
    insert into partner_quotes as b (partner_id, full_at)
    select allowed.partner_id, clock.now + ${STEP} from begun join allowed using (intent_id), clock
        on conflict (partner_id) do update
       set full_at = greatest(b.full_at, excluded.full_at - ${STEP}) + ${STEP}
  ),
  denied as (
    select i.expires_at, case when exists (select from begun) then null
             when not exists (select from allowed) then 'partner'
             when r.requests >= ${String(QUOTES_PER_INTENT_MAX)}
                  or (cardinality(r.code_hashes) >= ${String(QUOTED_CODES_PER_INTENT_MAX)}
                      and ${CODE} <> all (r.code_hashes)) then 'intent' else 'busy' end as why
      from clock, payment_intents i left join quote_requests r using (intent_id)
     where i.intent_id = $1
  )
  select why, case why when 'intent'
           then greatest(1, ceil(extract(epoch from expires_at - clock.now)))::integer
           else 1 end as "retryAfterSeconds"
    from denied, clock`;

const END = 'update quote_requests set busy_until = service_now() where intent_id = $1';

const STORE = `
  with ended as (${END})
  insert into quotes as q (quote_id, intent_id, code_hash, local_currency, local_minor, payee_name,
                           payee_from, rate, account, token, expires_at)
  values ($2, $1, ${hashOf('$3')}, $4, $5, $6, $7, $8, $9, $10,
          least($11, service_now() + ${seconds(QUOTE_LIVES_SECONDS)}))
  returning ${SHOWN} || jsonb_build_object('quote_id', q.quote_id,
                                           'expires_at', rfc3339(q.expires_at)) as quote`;
