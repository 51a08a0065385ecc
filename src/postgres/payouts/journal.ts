// Port `PayoutJournal` over Postgres.
import type { IntentId } from '../../domain/ids';
import {
  PAYOUT_FOLLOWS_DEBIT_WITHIN_SECONDS,
  PAYOUT_SENDING_MAX_SECONDS,
} from '../../domain/payouts/limits';
import { PASSING_CODES, type FailureCode } from '../../domain/payouts/permissions';
import type {
  BegunAttempt,
  NewTerms,
  OrderTerms,
  PayoutJournal,
  PayoutSending,
  PayoutTerms,
  RecordedAnswer,
} from '../../ports/payouts';
import { readRows, type Queryable } from '../database';
import { detailParameters, SET_DETAILS } from './details';
import { named } from '../named';
import { ARE_PAYOUTS_STOPPED, HAS_JUST_FAILED_OVER, MAY_HAVE_LOST_COMMITS } from './stops';

export function createPayoutJournal(database: Queryable): PayoutJournal {
  return {
    async recordFirstSending(intentId, terms, fixed) {
      const [sending] = await readRows<PayoutSending>(database, {
        name: 'record-first-sending',
        text: RECORD_FIRST,
        values: [...paymentOf(intentId, terms), ...fixedBy(fixed)],
      });
      return sending;
    },

    async beginAttempt(intentId, terms, mayBegin) {
      const values = [...paymentOf(intentId, terms), mayBegin];
      const [begun] = await readRows<Omit<BegunAttempt, 'kind'>>(database, {
        name: 'begin-payout-attempt',
        text: BEGIN,
        values,
      });
      return begun === undefined
        ? { kind: await whyNotBegun(database, values) }
        : { kind: 'begun', ...begun };
    },

    async recordSending(intentId, number, terms, fixed) {
      const [sending] = await readRows<PayoutSending>(database, {
        name: 'record-sending',
        text: RECORD,
        values: [...paymentOf(intentId, terms), ...fixedBy(fixed), number, PASSING_CODES],
      });
      return sending;
    },

    readOrder: (intentId) => readOrder(database, intentId),

    async recordAnswer(intentId, number, recorded) {
      await database.query(RECORD_ANSWER(answerParameters(intentId, number, recorded)));
    },

    recordRefusal: (intentId, code) => recordRefusal(database, intentId, code),

    async recordUnpaid(intentId, queryId) {
      await database.query({
        name: 'record-unpaid',
        text: 'update payment_intents set unpaid_by_query = $2 where intent_id = $1',
        values: [intentId, queryId],
      });
    },
  };
}

function answerParameters(intentId: IntentId, number: number, recorded: RecordedAnswer) {
  const { answer, isDeclined, isUnsent, ...details } = recorded;
  const said = { answer, is_declined: isDeclined, is_unsent: isUnsent };
  const values = { intent_id: intentId, number, ...said };
  return { ...values, ...detailParameters(details) };
}

async function recordRefusal(database: Queryable, intentId: IntentId, code: FailureCode) {
  const values = [intentId, code, PASSING_CODES];
  await database.query({ name: 'record-refusal', text: RECORD_REFUSAL, values });
}

async function readOrder(database: Queryable, intentId: IntentId): Promise<OrderTerms> {
  const [row] = await readRows<{ readonly order: OrderTerms }>(database, {
    name: 'read-payout-order',
    text: `select ${ORDER} from payouts p where p.intent_id = $1`,
    values: [intentId],
  });
  return row?.order ?? { account: null, local: null, reference: null };
}

function paymentOf(intentId: IntentId, { amountUsdCents, corridor }: PayoutTerms): unknown[] {
  return [intentId, amountUsdCents, corridor];
}

function fixedBy({ account, maxCostUsdCents, askAfterSeconds }: NewTerms): unknown[] {
  return [account, maxCostUsdCents, askAfterSeconds];
}

/** The row is an authorized payment with the terms that the workflow knows, and not another's. */
const IS_PAYABLE = `i.intent_id = $1 and i.status = 'authorized' and not i.is_workflow_gone
         and i.amount_usd_cents = $2 and i.corridor = $3`;
const IS_BEGUN = 'exists (select from payouts p where p.intent_id = $1)';
const IS_UNLOCKED = '(p.locked_until is null or p.locked_until <= service_now())';
const isOver = (at: string) =>
  `${at} <= service_now() - interval '${String(PAYOUT_SENDING_MAX_SECONDS)} s'`;
/** No sending may still be on its way: neither one in the row nor one that a failover has lost. */
export const IS_QUIET = `((p.last_sent_at is null or ${isOver('p.last_sent_at')})
         and (${isOver('p.first_attempt_at')} or not ${HAS_JUST_FAILED_OVER}))`;
const ageMs = (at: string) => `(extract(epoch from service_now() - ${at}) * 1000)::bigint`;
/** What the row `p` says of the requests, as {@link PayoutRecord}. */
export const PAYOUT_RECORD = `json_build_object('requests', p.requests, 'refusals', p.refusals,
           'refusedAs', p.refused_as, 'isAccepted', p.accepted_at is not null,
           'declinedMs', ${ageMs('p.declined_at')}, 'requestedMs', ${ageMs('p.first_sent_at')},
           'mayBeForgotten', (select ${MAY_HAVE_LOST_COMMITS} from payment_intents i
                               where i.intent_id = p.intent_id), 'isQuiet', ${IS_QUIET})`;
const DEBIT = `ledger_transfers d on d.transfer_key = i.intent_id || ':debit'`;
/** A request that follows its debit this soon repeats none that a restored row has forgotten. */
const IS_DEBIT_NEW = `d.created_at >= service_now()
              - interval '${String(PAYOUT_FOLLOWS_DEBIT_WITHIN_SECONDS)} s'`;
const QR_PAYLOAD = `(select c.qr_payload from confirm_payloads c
           where c.intent_id = p.intent_id and c.is_adopted) as "qrPayload"`;
const jsonOf = (currency: string, minor: string) =>
  `json_build_object('currency', ${currency}, 'minor', ${minor})`;
/** What the first request fixes, and has fixed, of the payout `p`: {@link OrderTerms}. */
export const ORDER = `json_build_object('account', p.account,
           'reference', coalesce(p.reference, p.proposed_reference), 'local', coalesce(
           case when p.ordered_minor is not null
                then ${jsonOf('p.ordered_currency', 'p.ordered_minor')} end,
           (select ${jsonOf('c.local_currency', 'c.local_minor')} from confirm_payloads c
             where c.intent_id = p.intent_id and c.is_adopted and c.local_minor is not null)
         )) as order`;
const PAYER = `(select i.partner_id || ':' || i.partner_user_id from payment_intents i
           where i.intent_id = p.intent_id) as payer`;

/** The token of the quote that the row `c` of confirm_payloads names, for the account $4. */
const TOKEN = `(select q.token from quotes q
           where q.quote_id = c.quote_id and q.account = $4 and q.expires_at > service_now())`;

const ASK_AT = `service_now() + $6::double precision * interval '1 s'`;

/**
 * A payout requires a debit and an intent that is still authorized. The share lock on the intent
 * keeps both unchanged, here and below.
 */
const RECORD_FIRST = `
  insert into payouts as p (intent_id, status, attempts, first_attempt_at, requests,
                            first_sent_at, last_sent_at, account, max_cost_usd_cents,
                            ordered_currency, ordered_minor, token, ask_at,
                            ask_corridor)
  select i.intent_id, 'sent', 1, service_now(), 1, service_now(), service_now(), $4, $5,
         c.local_currency, c.local_minor, ${TOKEN}, ${ASK_AT}, $3
    from (select i.intent_id from payment_intents i
           where ${IS_PAYABLE} and not ${ARE_PAYOUTS_STOPPED}
             and not ${MAY_HAVE_LOST_COMMITS} for share) as i
    join ${DEBIT} and ${IS_DEBIT_NEW}
    left join confirm_payloads c on c.intent_id = i.intent_id and c.is_adopted
      on conflict (intent_id) do nothing
  returning ${QR_PAYLOAD}, ${PAYER}, ${ORDER}, p.token`;

const BEGIN = `
  insert into payouts as p (intent_id, status, attempts, first_attempt_at)
  select i.intent_id, 'sent', 1, service_now()
    from (select i.intent_id from payment_intents i
           where ${IS_PAYABLE} and (($4 and not ${ARE_PAYOUTS_STOPPED}) or ${IS_BEGUN})
             for share) as i
    join ${DEBIT}
      on conflict (intent_id) do update set attempts = p.attempts + 1, answer = null
   where ${IS_UNLOCKED}
  returning attempts as number, attempts = 1 and exists (
           select from payment_intents i join ${DEBIT} and ${IS_DEBIT_NEW}
            where i.intent_id = p.intent_id and not ${MAY_HAVE_LOST_COMMITS}) as "isFirst",
         ${QR_PAYLOAD}, ${PAYER}, ${ORDER}, p.token, ${PAYOUT_RECORD} as record,
         ${ageMs('first_attempt_at')} as "sinceFirstMs"`;

/**
 * The update is conditional on the attempt count: another attempt may have sent since, and the
 * provider's answer to this one does not cover that.
 */
const RECORD = `
  with payable as (
    select i.intent_id from payment_intents i
     where ${IS_PAYABLE} and not ${ARE_PAYOUTS_STOPPED} for share
  )
  update payouts p set last_sent_at = service_now(), requests = p.requests + 1,
                       first_sent_at = coalesce(p.first_sent_at, service_now()),
                       account = $4, max_cost_usd_cents = coalesce(p.max_cost_usd_cents, $5),
                       ordered_currency = coalesce(p.ordered_currency, c.local_currency),
                       ordered_minor = coalesce(p.ordered_minor, c.local_minor),
                       token = case when p.requests = 0 then ${TOKEN} else p.token end,
                       ask_at = coalesce(p.ask_at, ${ASK_AT}), ask_corridor = $3
    from payable left join confirm_payloads c
         on c.intent_id = payable.intent_id and c.is_adopted
   where p.intent_id = payable.intent_id and (p.account is null or p.account = $4)
     and p.attempts = $7 and p.accepted_at is null and p.declined_at is null
     and (p.refused_as is null or p.refused_as = any ($8)) and ${IS_UNLOCKED} and ${IS_QUIET}
  returning ${QR_PAYLOAD}, ${PAYER}, ${ORDER}, p.token`;

const RECORD_ANSWER = named(
  'record-payout-answer',
  `
  update payouts p
     set answer = case when attempts = $number then $answer else answer end,
         accepted_at = case when $answer in ('declined', 'unpaid') then accepted_at
                            else coalesce(accepted_at, service_now()) end,
         declined_at = case when $is_declined then coalesce(declined_at, service_now())
                            when $answer = 'unpaid' then declined_at end,
         ${SET_DETAILS}
   where intent_id = $intent_id
     and (not $is_unsent or (requests = 0 and accepted_at is null and declined_at is null
                             and not (select ${MAY_HAVE_LOST_COMMITS} from payment_intents i
                                       where i.intent_id = p.intent_id)))`,
);

const RECORD_REFUSAL = `
  update payouts
     set refusals = refusals + 1,
         refused_as = case when refused_as is null or refused_as = any ($3) then $2
                           else refused_as end
   where intent_id = $1`;

/**
 * A separate statement: the one before may have waited for the statement that locks the payout, and
 * its snapshot is older than that.
 */
async function whyNotBegun(database: Queryable, values: unknown[]) {
  const [why] = await readRows<{ readonly kind: 'stopped' | 'locked' | 'delayed' }>(database, {
    name: 'why-no-payout',
    text: WHY_NOT_BEGUN,
    values,
  });
  return why?.kind ?? 'not_payable';
}

/** Returns no row if the payment allows no payout at all. */
const WHY_NOT_BEGUN = `
  select case when ${IS_BEGUN} then 'locked'
              when ${ARE_PAYOUTS_STOPPED} then 'stopped'
              when $4 then 'locked' else 'delayed' end as kind
    from payment_intents i join ${DEBIT}
   where ${IS_PAYABLE}`;
