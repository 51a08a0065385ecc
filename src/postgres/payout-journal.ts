// Port payout-journal over Postgres.
import type { IntentId } from '../domain/ids';
import { PAYOUT_ATTEMPT_WHOLE_SECONDS } from '../domain/limits';
import type { PayoutJournal } from '../ports/payout-journal';
import type { Queryable } from './database';
import { ARE_PAYOUTS_STOPPED } from './payout-stops';
import { MUST_ASK_PROVIDER } from './payout-stops';

interface AttemptRow {
  readonly attempts: number;
  /** Postgres may have forgotten an attempt (payout-stops.ts). */
  readonly must_ask_provider: boolean;
  readonly since_debit_ms: number;
  readonly since_first_ms: number;
  readonly qr_payload: string | null;
  readonly is_taken: boolean;
  readonly may_send: boolean;
}

export function createPayoutJournal(database: Queryable): PayoutJournal {
  return {
    async beginAttempt(intentId, terms) {
      const { rows } = await database.query<AttemptRow>({
        name: 'begin-payout-attempt',
        // A payout implies a debit, and an intent that is still authorized: the share lock holds both still. While payouts are stopped
        // what was begun is asked about.
        text: `
          insert into payouts (intent_id, status, attempts, first_sent_at, last_sent_at)
          select i.intent_id, 'sent', 1, service_now(), service_now()
            from (select intent_id from payment_intents
                   where intent_id = $1 and status = 'authorized'
                     and amount_usd_cents = coalesce($2::bigint, amount_usd_cents) and corridor = coalesce($3, corridor)
                      and (not ${ARE_PAYOUTS_STOPPED} or exists (select from payouts p where p.intent_id = $1)) for share) as i
            join ledger_transfers d on d.transfer_key = i.intent_id || ':debit'
              on conflict (intent_id) do update
             set attempts = payouts.attempts + 1, last_sent_at = excluded.last_sent_at
           where payouts.closed_until is null or payouts.closed_until <= service_now()
          returning attempts, (select ${MUST_ASK_PROVIDER} from payment_intents i where i.intent_id = $1) as must_ask_provider, taken_at is not null as is_taken, not ${ARE_PAYOUTS_STOPPED} as may_send,
                 (select (extract(epoch from service_now() - d.created_at) * 1000)::bigint
                    from ledger_transfers d where d.transfer_key = $1 || ':debit') as since_debit_ms,
                 (extract(epoch from service_now() - first_sent_at) * 1000)::bigint as since_first_ms,
                 (select p.qr_payload from confirm_payloads p
                   where p.intent_id = payouts.intent_id and p.is_adopted) as qr_payload`,
        values: [intentId, terms?.amountUsdCents ?? null, terms?.corridor ?? null],
      });
      const row = rows[0];
      if (row === undefined) {
        const kind = await whyNot(database, intentId, terms);
        return { kind, isTaken: false, maySend: false, sinceFirstMs: 0, qrPayload: null };
      }
      return {
        kind: isFirst(row) ? 'first' : 'repeat',
        isTaken: row.is_taken,
        maySend: row.may_send,
        sinceFirstMs: row.since_first_ms,
        qrPayload: row.qr_payload,
      };
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

/**
 * The payout follows its debit at once. Where it does not, a database that was restored may have forgotten an attempt, and what may
 * have been sent is asked about.
 */
function isFirst({ attempts, since_debit_ms, must_ask_provider }: AttemptRow): boolean {
  const isAtOnce = since_debit_ms >= 0 && since_debit_ms <= PAYOUT_ATTEMPT_WHOLE_SECONDS * 1_000;
  return attempts === 1 && isAtOnce && !must_ask_provider;
}

/**
 * Why no attempt has begun. A question of its own: the statement before may have waited for the gate's lock, and its snapshot is
 * from before that.
 */
async function whyNot(
  database: Queryable,
  intentId: IntentId,
  terms: Parameters<PayoutJournal['beginAttempt']>[1],
): Promise<'refused' | 'stopped' | 'closed'> {
  const { rows } = await database.query<{ readonly is_stopped: boolean }>({
    name: 'why-no-payout',
    text: `select ${ARE_PAYOUTS_STOPPED} and not exists (select from payouts p where p.intent_id = $1) as is_stopped
             from payment_intents i join ledger_transfers d on d.transfer_key = i.intent_id || ':debit'
            where i.intent_id = $1 and i.status = 'authorized'
              and i.amount_usd_cents = coalesce($2::bigint, i.amount_usd_cents) and i.corridor = coalesce($3, i.corridor)`,
    values: [intentId, terms?.amountUsdCents ?? null, terms?.corridor ?? null],
  });
  const row = rows[0];
  if (row === undefined) return 'refused';
  return row.is_stopped ? 'stopped' : 'closed';
}
