// Port payout-gate over Postgres: an instant in the payout's row, which every attempt looks at before it begins.
import { PAYOUT_CLOSED_FOR_SECONDS, PAYOUT_SENDING_WHOLE_SECONDS } from '../../domain/limits';
import type { PayoutGate } from '../../ports/payouts/journal';
import { readRows, type Queryable } from '../database';

interface GateRow {
  readonly isClosed: boolean;
  readonly isTaken: boolean;
  readonly attempts: number;
  readonly waitMs: number;
}

export function createPayoutGate(database: Queryable): PayoutGate {
  return {
    async close(intentId) {
      const [row] = await readRows<GateRow>(database, {
        name: 'close-payout',
        text: `
          with closed as (
            update payouts
               set closed_until = service_now() + interval '${String(PAYOUT_CLOSED_FOR_SECONDS)} s'
             where intent_id = $1
               and (last_sent_at is null
                    or last_sent_at <= service_now() - interval '${String(PAYOUT_SENDING_WHOLE_SECONDS)} s')
            returning attempts, taken_at
          )
          select exists (select from closed) as "isClosed",
                 (select taken_at from closed) is not null as "isTaken",
                 coalesce((select attempts from closed), p.attempts) as attempts,
                 coalesce(ceil(extract(epoch from p.last_sent_at - service_now()) * 1000)::bigint
                   + ${String(PAYOUT_SENDING_WHOLE_SECONDS * 1_000)}, 0) as "waitMs"
            from payouts p where p.intent_id = $1`,
        values: [intentId],
      });
      // Never begun: nothing to hold still, and the statement that writes the end looks again.
      if (row === undefined) return { outcome: 'closed', attempts: 0, isTaken: false };
      const { isClosed, isTaken, attempts, waitMs } = row;
      if (isClosed) return { outcome: 'closed', attempts, isTaken };
      // The row was locked by a sending that was just recorded: its instant is not in this statement's snapshot.
      return { outcome: 'too_soon', inMs: Math.max(waitMs, 1_000) };
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
