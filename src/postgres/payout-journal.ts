// Port payout-journal over Postgres.
import { PAYOUT_ATTEMPT_WHOLE_SECONDS } from '../domain/limits';
import type { PayoutAttempt, PayoutJournal } from '../ports/payout-journal';
import { readRows, type Queryable } from './database';
import { ARE_PAYOUTS_STOPPED, MAY_HAVE_FORGOTTEN } from './payout-stops';

interface AttemptRow extends Omit<PayoutAttempt, 'kind'> {
  readonly attempts: number;
  /** Postgres may have forgotten an attempt (payout-stops.ts). */
  readonly mustAskProvider: boolean;
  readonly sinceDebitMs: number;
}

export function createPayoutJournal(database: Queryable): PayoutJournal {
  return {
    async beginAttempt(intentId, attemptId, terms) {
      const payment = [intentId, terms?.amountUsdCents ?? null, terms?.corridor ?? null];
      const [row] = await readRows<AttemptRow>(database, {
        name: 'begin-payout-attempt',
        text: BEGIN,
        values: [...payment, attemptId],
      });
      if (row !== undefined) {
        const { attempts, mustAskProvider, sinceDebitMs, ...attempt } = row;
        const kind = isFirst(attempts, sinceDebitMs, mustAskProvider) ? 'first' : 'repeat';
        return { kind, ...attempt };
      }
      const kind = await whyNot(database, payment);
      return { kind, isTaken: false, maySend: false, sinceFirstMs: 0, qrPayload: null };
    },

    async endAttempt(intentId, attemptId) {
      await database.query({
        name: 'end-payout-attempt',
        text: `update payouts set sending_attempt = null where intent_id = $1 and sending_attempt = $2`,
        values: [intentId, attemptId],
      });
    },

    async noteTaken(intentId) {
      await database.query({
        name: 'note-payout-taken',
        text: 'update payouts set taken_at = service_now() where intent_id = $1 and taken_at is null',
        values: [intentId],
      });
    },
  };
}

/** Of the payment that the workflow knows, while it is authorized. */
const IS_PAYABLE = `i.intent_id = $1 and i.status = 'authorized'
              and i.amount_usd_cents = coalesce($2::bigint, i.amount_usd_cents) and i.corridor = coalesce($3, i.corridor)`;
const IS_BEGUN = 'exists (select from payouts p where p.intent_id = $1)';
/** No attempt before this one can still send: the last that could has ended, or its time is over. */
const IS_FREE = `(payouts.sending_attempt is null
           or payouts.last_sent_at <= excluded.last_sent_at - interval '${String(PAYOUT_ATTEMPT_WHOLE_SECONDS)} s')`;
const MAY_SEND = `${IS_FREE} and payouts.taken_at is null and not ${ARE_PAYOUTS_STOPPED}`;

/**
 * A payout implies a debit, and an intent that is still authorized: the share lock holds both still. One attempt at a time may
 * send. An attempt that begins beside it, or while payouts are stopped, may only query the provider, and leaves last_sent_at.
 */
const BEGIN = `
  insert into payouts (intent_id, status, attempts, sending_attempt, first_sent_at, last_sent_at)
  select i.intent_id, 'sent', 1, $4::uuid, service_now(), service_now()
    from (select intent_id from payment_intents i
           where ${IS_PAYABLE}
             and (not ${ARE_PAYOUTS_STOPPED} or ${IS_BEGUN}) for share) as i
    join ledger_transfers d on d.transfer_key = i.intent_id || ':debit'
      on conflict (intent_id) do update
     set attempts = payouts.attempts + 1,
         sending_attempt = case when ${MAY_SEND} then excluded.sending_attempt else payouts.sending_attempt end,
         last_sent_at = case when ${MAY_SEND} then excluded.last_sent_at else payouts.last_sent_at end
   where payouts.closed_until is null or payouts.closed_until <= service_now()
  returning attempts, taken_at is not null as "isTaken",
         coalesce(sending_attempt = $4::uuid, false) as "maySend",
         (select ${MAY_HAVE_FORGOTTEN} from payment_intents i where i.intent_id = $1) as "mustAskProvider",
         (select (extract(epoch from service_now() - d.created_at) * 1000)::bigint
            from ledger_transfers d where d.transfer_key = $1 || ':debit') as "sinceDebitMs",
         (extract(epoch from service_now() - first_sent_at) * 1000)::bigint as "sinceFirstMs",
         (select p.qr_payload from confirm_payloads p
           where p.intent_id = payouts.intent_id and p.is_adopted) as "qrPayload"`;

/** A question of its own: the statement before may have waited for the gate's lock, and its snapshot is from before that. */
async function whyNot(database: Queryable, values: unknown[]) {
  const [why] = await readRows<{ readonly kind: 'stopped' | 'closed' }>(database, {
    name: 'why-no-payout',
    text: WHY_NOT,
    values,
  });
  return why?.kind ?? 'refused';
}

/** No row where the payment allows no payout at all. */
const WHY_NOT = `
  select case when ${ARE_PAYOUTS_STOPPED} and not ${IS_BEGUN} then 'stopped' else 'closed' end as kind
    from payment_intents i join ledger_transfers d on d.transfer_key = i.intent_id || ':debit'
   where ${IS_PAYABLE}`;

/**
 * The payout follows its debit at once. Where it does not, a database that was restored may have forgotten an attempt, and what may
 * have been sent is asked about.
 */
function isFirst(attempts: number, sinceDebitMs: number, mustAskProvider: boolean): boolean {
  const isAtOnce = sinceDebitMs >= 0 && sinceDebitMs <= PAYOUT_ATTEMPT_WHOLE_SECONDS * 1_000;
  return attempts === 1 && isAtOnce && !mustAskProvider;
}
