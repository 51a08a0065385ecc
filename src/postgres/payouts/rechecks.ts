// Port payout-comparisons over Postgres.
import { RECHECKED_FOR_SECONDS } from '../../domain/intents/manual-resolution';
import type { IntentId } from '../../domain/ids';
import type { TransitionCommand } from '../../domain/intents/transition';
import type { PendingRecheck, PayoutRechecks } from '../../ports/payouts/rechecks';
import { readRows, type Queryable } from '../database';

/**
 * What operations declared the payment's own run compares; past this somebody makes sure that one does, and then as often again.
 * A cancelled payment's run does not.
 */
const CHECK_EVERY_SECONDS = 600;

/** In the transaction that ends a payment, if it ends on somebody's word. */
export async function scheduleRecheck(
  connection: Queryable,
  { intentId, resolvedAs }: Pick<TransitionCommand, 'intentId' | 'resolvedAs'>,
): Promise<void> {
  if (resolvedAs === undefined) return;
  await connection.query({
    name: 'owe-comparison',
    text: `insert into pending_rechecks (intent_id, resolved_as, due_by, check_at)
           select $1, $2, clock.now + interval '${String(RECHECKED_FOR_SECONDS)} s',
                  clock.now + case $2 when 'cancelled' then interval '0' else interval '${String(CHECK_EVERY_SECONDS)} s' end
             from (select service_now() as now) as clock`,
    values: [intentId, resolvedAs],
  });
}

export function createPayoutRechecks(database: Queryable): PayoutRechecks {
  return {
    claimDueRechecks: (limit) =>
      readRows<PendingRecheck>(database, {
        name: 'claim-owed-comparisons',
        text: `
          update pending_rechecks o
             set check_at = service_now() + interval '${String(CHECK_EVERY_SECONDS)} s'
            from payment_intents i,
                 (select intent_id from pending_rechecks
                   where check_at <= (select service_now())
                   order by check_at limit $1
                     for update skip locked) as due
           where o.intent_id = due.intent_id and i.intent_id = due.intent_id
          returning i.intent_id as "intentId", i.partner_id as "partnerId",
                    i.amount_usd_cents as "amountUsdCents", i.corridor, o.resolved_as as "resolvedAs"`,
        values: [limit],
      }),
    async end(intentId, attention) {
      await end(database, intentId, attention, true);
    },
    endAfterDay: (intentId, attention) => end(database, intentId, attention, false),
  };
}

/** Attention and the end of what is owed are one statement: whoever dies in between has done both or neither. */
async function end(
  database: Queryable,
  intentId: IntentId,
  attention: string | null,
  isTold: boolean,
): Promise<boolean> {
  const ended = await readRows(database, {
    name: 'end-comparison',
    text: `
      with ended as (
        delete from pending_rechecks where intent_id = $1 and ($3 or due_by <= service_now())
        returning intent_id
      ),
      told as (
        update payment_intents i
           set attention_reason = $2, attention_since = coalesce(i.attention_since, service_now())
          from ended where i.intent_id = ended.intent_id and $2::text is not null
      )
      select intent_id from ended`,
    values: [intentId, attention, isTold],
  });
  return ended.length === 1;
}
