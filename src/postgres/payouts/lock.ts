// Port `PayoutLock` over Postgres: a time in the payout's row, which every attempt checks before it
// begins.
import { PAYOUT_LOCKED_FOR_SECONDS, PAYOUT_SENDING_MAX_SECONDS } from '../../domain/payouts/limits';
import { FORGOTTEN, type PayoutRecord } from '../../domain/payouts/permissions';
import type { PayoutLock } from '../../ports/payouts';
import { readRows, type Queryable } from '../database';
import { IS_QUIET, PAYOUT_RECORD } from './journal';
import { recordVerified } from './resolutions';

interface LockRow {
  readonly isLocked: boolean;
  readonly record: PayoutRecord;
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
            update payouts p
               set locked_until = service_now() + interval '${String(PAYOUT_LOCKED_FOR_SECONDS)} s'
             where intent_id = $1 and ${IS_QUIET}
            returning attempts, ${PAYOUT_RECORD} as record
          )
          select exists (select from locked) as "isLocked", (select record from locked) as record,
                 coalesce((select attempts from locked), p.attempts) as attempts,
                 coalesce(ceil(extract(epoch from p.last_sent_at - service_now()) * 1000)::bigint
                   + ${String(PAYOUT_SENDING_MAX_SECONDS * 1_000)}, 0) as "waitMs"
            from payouts p where p.intent_id = $1`,
        values: [intentId],
      });
      // The payout was never begun, so there is nothing to lock. The statement that writes the
      // terminal status checks this again.
      if (row === undefined) return { outcome: 'locked', attempts: 0, record: FORGOTTEN };
      const { isLocked, record, attempts, waitMs } = row;
      if (isLocked) return { outcome: 'locked', attempts, record };
      // The minimum is for a sending that was recorded while this statement waited for the row: the
      // statement's snapshot lacks it.
      return { outcome: 'too_soon', inMs: Math.max(waitMs, 1_000) };
    },

    async unlock(intentId, isAccepted) {
      await database.query({
        name: 'unlock-payout',
        text: `update payouts
                  set locked_until = null,
                      accepted_at = coalesce(accepted_at, case when $2 then service_now() end)
                where intent_id = $1`,
        values: [intentId, isAccepted],
      });
    },

    recordVerified: (intentId, verified) => recordVerified(database, intentId, verified),
  };
}
