// Port payout-gate over Postgres: an instant in the payout's row, which every attempt looks at before it begins.
import { PAYOUT_ATTEMPT_WHOLE_SECONDS, PAYOUT_CLOSED_FOR_SECONDS } from '../domain/limits';
import type { PayoutGate } from '../ports/payout-gate';
import type { Queryable } from './database';

interface GateRow {
  readonly is_closed: boolean;
  readonly is_taken: boolean;
  readonly attempts: number;
  readonly wait_ms: number;
}

export function createPayoutGate(database: Queryable): PayoutGate {
  return {
    async close(intentId) {
      const { rows } = await database.query<GateRow>({
        name: 'close-payout',
        text: `
          with closed as (
            update payouts
               set closed_until = service_now() + interval '${String(PAYOUT_CLOSED_FOR_SECONDS)} s'
             where intent_id = $1
               and last_sent_at <= service_now() - interval '${String(PAYOUT_ATTEMPT_WHOLE_SECONDS)} s'
            returning attempts, taken_at
          )
          select exists (select from closed) as is_closed, (select taken_at from closed) is not null as is_taken,
                 coalesce((select attempts from closed), p.attempts) as attempts,
                 ceil(extract(epoch from p.last_sent_at - service_now()) * 1000)::bigint
                   + ${String(PAYOUT_ATTEMPT_WHOLE_SECONDS * 1_000)} as wait_ms
            from payouts p where p.intent_id = $1`,
        values: [intentId],
      });
      const row = rows[0];
      // Never begun: nothing to hold still, and the statement that writes the end looks again.
      if (row === undefined) return { outcome: 'closed', attempts: 0, isTaken: false };
      if (row.is_closed)
        return { outcome: 'closed', attempts: row.attempts, isTaken: row.is_taken };
      // The row was locked by an attempt that has just begun: its instant is not in this statement's snapshot.
      return { outcome: 'too_soon', inMs: Math.max(row.wait_ms, 1_000) };
    },

    async open(intentId) {
      await database.query({
        name: 'open-payout',
        text: `update payouts set closed_until = null, taken_at = coalesce(taken_at, service_now())
                where intent_id = $1`,
        values: [intentId],
      });
    },
  };
}
