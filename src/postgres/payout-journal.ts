// Port payout-journal over Postgres.
import type { PayoutJournal } from '../ports/payout-journal';
import type { Queryable } from './database';

interface AttemptRow {
  readonly attempts: number;
  readonly since_first_ms: number;
}

export function createPayoutJournal(database: Queryable): PayoutJournal {
  return {
    async beginAttempt(intentId) {
      const { rows } = await database.query<AttemptRow>({
        name: 'begin-payout-attempt',
        // A payout implies a debit, and an intent that is still authorized: the share lock holds both still.
        text: `
          insert into payouts (intent_id, status, attempts, first_sent_at, last_sent_at)
          select i.intent_id, 'sent', 1, service_now(), service_now()
            from (select intent_id from payment_intents
                   where intent_id = $1 and status = 'authorized' for share) as i
            join ledger_transfers d on d.transfer_key = i.intent_id || ':debit'
              on conflict (intent_id) do update
             set attempts = payouts.attempts + 1, last_sent_at = excluded.last_sent_at
          returning attempts,
                 (extract(epoch from service_now() - first_sent_at) * 1000)::bigint as since_first_ms`,
        values: [intentId],
      });
      const row = rows[0];
      if (row === undefined) return { kind: 'refused', sinceFirstMs: 0 };
      return { kind: row.attempts === 1 ? 'first' : 'repeat', sinceFirstMs: row.since_first_ms };
    },
  };
}
