// Port `PayoutJournal` over Postgres.
import type { IntentId } from '../../domain/ids';
import {
  PAYOUT_FOLLOWS_DEBIT_WITHIN_SECONDS,
  PAYOUT_SENDING_MAX_SECONDS,
  PAYOUT_LOCKED_FOR_SECONDS,
} from '../../domain/payouts/limits';
import type {
  BegunAttempt,
  FirstSending,
  PayoutJournal,
  PayoutSending,
  PayoutTerms,
  PayoutLock,
} from '../../ports/payouts';
import { readRows, type Queryable } from '../database';
import { ARE_PAYOUTS_STOPPED, HAS_JUST_FAILED_OVER, MAY_HAVE_LOST_COMMITS } from './stops';
import { recordVerified } from './resolutions';

export function createPayoutJournal(database: Queryable): PayoutJournal {
  return {
    async recordFirstSending(intentId, terms) {
      const [sending] = await readRows<FirstSending>(database, {
        name: 'record-first-sending',
        text: RECORD_FIRST,
        values: paymentOf(intentId, terms),
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
      if (begun !== undefined) return { kind: 'begun', ...begun };
      return { kind: await whyNotBegun(database, values) };
    },

    async recordSending(intentId, number, terms) {
      const [sending] = await readRows<PayoutSending>(database, {
        name: 'record-sending',
        text: RECORD,
        values: [...paymentOf(intentId, terms), number],
      });
      return sending;
    },

    async recordAnswer(intentId, number, answer) {
      await database.query({
        name: 'record-payout-answer',
        text: RECORD_ANSWER,
        values: [intentId, number, answer],
      });
    },

    async recordUnpaid(intentId, queryId) {
      await database.query({
        name: 'record-unpaid',
        text: 'update payment_intents set unpaid_by_query = $2 where intent_id = $1',
        values: [intentId, queryId],
      });
    },
  };
}

function paymentOf(intentId: IntentId, { amountUsdCents, corridor }: PayoutTerms): unknown[] {
  return [intentId, amountUsdCents, corridor];
}

/** The row is an authorized payment with the terms that the workflow knows, and not another's. */
const IS_PAYABLE = `i.intent_id = $1 and i.status = 'authorized' and not i.is_workflow_gone
         and i.amount_usd_cents = $2 and i.corridor = $3`;
const IS_BEGUN = 'exists (select from payouts p where p.intent_id = $1)';
const IS_UNLOCKED = '(p.locked_until is null or p.locked_until <= service_now())';
const isOver = (at: string) =>
  `${at} <= service_now() - interval '${String(PAYOUT_SENDING_MAX_SECONDS)} s'`;
/** No sending may still be on its way: neither one in the row nor one that a failover has lost. */
const IS_QUIET = `((p.last_sent_at is null or ${isOver('p.last_sent_at')})
         and (${isOver('p.first_attempt_at')} or not ${HAS_JUST_FAILED_OVER}))`;
const DEBIT = `ledger_transfers d on d.transfer_key = i.intent_id || ':debit'`;
/** A request that follows its debit this soon repeats none that a restored row has forgotten. */
const IS_DEBIT_NEW = `d.created_at >= service_now()
              - interval '${String(PAYOUT_FOLLOWS_DEBIT_WITHIN_SECONDS)} s'`;
const QR_PAYLOAD = `(select c.qr_payload from confirm_payloads c
           where c.intent_id = p.intent_id and c.is_adopted) as "qrPayload"`;
const PAYER = `(select i.partner_id || ':' || i.partner_user_id from payment_intents i
           where i.intent_id = p.intent_id) as payer`;

/**
 * A payout requires a debit and an intent that is still authorized. The share lock on the intent
 * keeps both unchanged, here and below.
 */
const RECORD_FIRST = `
  insert into payouts as p (intent_id, status, attempts, first_attempt_at, last_sent_at)
  select i.intent_id, 'sent', 1, service_now(), service_now()
    from (select i.intent_id from payment_intents i
           where ${IS_PAYABLE} and not ${ARE_PAYOUTS_STOPPED}
             and not ${MAY_HAVE_LOST_COMMITS} for share) as i
    join ${DEBIT} and ${IS_DEBIT_NEW}
      on conflict (intent_id) do nothing
  returning ${QR_PAYLOAD}, ${PAYER}`;

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
         ${PAYER}, ${IS_QUIET} as "isQuiet",
         (extract(epoch from service_now() - first_attempt_at) * 1000)::bigint as "sinceFirstMs"`;

/**
 * The update is conditional on the attempt count: another attempt may have sent since, and the
 * provider's answer to this one does not cover that.
 */
const RECORD = `
  with payable as (
    select i.intent_id from payment_intents i
     where ${IS_PAYABLE} and not ${ARE_PAYOUTS_STOPPED} for share
  )
  update payouts p set last_sent_at = service_now()
    from payable where p.intent_id = payable.intent_id
     and p.attempts = $4 and p.accepted_at is null and ${IS_UNLOCKED} and ${IS_QUIET}
  returning ${QR_PAYLOAD}`;

const RECORD_ANSWER = `
  update payouts
     set answer = case when attempts = $2 then $3 else answer end,
         accepted_at = case when $3 = 'declined' then accepted_at
                            else coalesce(accepted_at, service_now()) end
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

// The payout lock over Postgres: a time in the payout's row, which every attempt checks before it
// begins.

interface LockRow {
  readonly isLocked: boolean;
  readonly isAccepted: boolean;
  readonly attempts: number;
  readonly waitMs: number;
}

export function createPayoutLock(database: Queryable): PayoutLock {
  return {
    async lock(intentId) {
      const [row] = await readRows<LockRow>(database, {
        name: 'lock-payout',
        text: `
          with locked as (
            update payouts
               set locked_until = service_now() + interval '${String(PAYOUT_LOCKED_FOR_SECONDS)} s'
             where intent_id = $1
               and (last_sent_at is null
                    or last_sent_at <= service_now()
                                       - interval '${String(PAYOUT_SENDING_MAX_SECONDS)} s')
            returning attempts, accepted_at
          )
          select exists (select from locked) as "isLocked",
                 (select accepted_at from locked) is not null as "isAccepted",
                 coalesce((select attempts from locked), p.attempts) as attempts,
                 coalesce(ceil(extract(epoch from p.last_sent_at - service_now()) * 1000)::bigint
                   + ${String(PAYOUT_SENDING_MAX_SECONDS * 1_000)}, 0) as "waitMs"
            from payouts p where p.intent_id = $1`,
        values: [intentId],
      });
      // The payout was never begun, so there is nothing to lock. The statement that writes the
      // terminal status checks this again.
      if (row === undefined) return { outcome: 'locked', attempts: 0, isAccepted: false };
      const { isLocked, isAccepted, attempts, waitMs } = row;
      if (isLocked) return { outcome: 'locked', attempts, isAccepted };
      // The minimum is for a sending that was recorded while this statement waited for the row: the
      // statement's snapshot lacks it.
      return { outcome: 'too_soon', inMs: Math.max(waitMs, 1_000) };
    },

    async unlockAsAccepted(intentId) {
      await database.query({
        name: 'unlock-accepted-payout',
        text: `update payouts
                  set locked_until = null, accepted_at = coalesce(accepted_at, service_now())
                where intent_id = $1`,
        values: [intentId],
      });
    },

    recordVerified: (intentId, verified) => recordVerified(database, intentId, verified),
  };
}
