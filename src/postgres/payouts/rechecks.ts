// Port `PayoutRechecks` over Postgres.
import { RECHECKED_FOR_SECONDS } from '../../domain/intents/manual-resolution';
import type { IntentId } from '../../domain/ids';
import type { TransitionCommand } from '../../domain/intents/transition';
import type { PendingRecheck, PayoutRechecks } from '../../ports/payouts';
import { readRows, type Queryable } from '../database';
import { insertAttention } from '../intents/attention';

/**
 * The payment's own workflow rechecks a manual resolution. After this time, and then at this
 * interval, the workflow repairer makes sure that a workflow does. The workflow of a cancelled
 * payment does not, so its recheck is due at once.
 */
const CHECK_EVERY_SECONDS = 600;

/**
 * Called in the transaction that ends a payment. It writes nothing unless the command says how the
 * payment was resolved.
 */
export async function scheduleRecheck(
  connection: Queryable,
  { intentId, resolvedAs }: Pick<TransitionCommand, 'intentId' | 'resolvedAs'>,
): Promise<void> {
  if (resolvedAs === undefined) return;
  await connection.query({
    name: 'schedule-recheck',
    text: `insert into pending_rechecks (intent_id, resolved_as, due_by, check_at)
           select $1, $2, clock.now + interval '${String(RECHECKED_FOR_SECONDS)} s',
                  clock.now + case $2 when 'cancelled' then interval '0'
                                      else interval '${String(CHECK_EVERY_SECONDS)} s' end
             from (select service_now() as now) as clock`,
    values: [intentId, resolvedAs],
  });
}

export function createPayoutRechecks(database: Queryable): PayoutRechecks {
  return {
    claimDueRechecks: (limit) =>
      readRows<PendingRecheck>(database, {
        name: 'claim-due-rechecks',
        text: `
          update pending_rechecks r
             set check_at = service_now() + interval '${String(CHECK_EVERY_SECONDS)} s'
            from payment_intents i,
                 (select intent_id from pending_rechecks
                   where check_at <= (select service_now())
                   order by check_at limit $1
                     for update skip locked) as due
           where r.intent_id = due.intent_id and i.intent_id = due.intent_id
          returning i.intent_id as "intentId", i.partner_id as "partnerId",
                    i.amount_usd_cents as "amountUsdCents", i.corridor,
                    r.resolved_as as "resolvedAs"`,
        values: [limit],
      }),
    async finish(intentId, attention) {
      await finishRecheck(database, intentId, attention, true);
    },
    finishAfterDay: (intentId, attention) => finishRecheck(database, intentId, attention, false),
  };
}

/**
 * One statement deletes the recheck and raises attention, so that a worker that dies has done both
 * or neither. It locks the payment first, as every statement that locks both.
 */
async function finishRecheck(
  database: Queryable,
  intentId: IntentId,
  attention: string | null,
  isAnswered: boolean,
): Promise<boolean> {
  const finished = await readRows(database, {
    name: 'finish-recheck',
    text: `
      with payment as materialized (
        select intent_id from payment_intents where intent_id = $1 for no key update
      ),
      finished as (
        delete from pending_rechecks r using payment p
         where r.intent_id = p.intent_id and ($3 or due_by <= service_now())
        returning r.intent_id
      ),
      raised as (${insertAttention(`(
        select intent_id, 'resolution_contradicted' as kind, $2 as sentence
          from finished where $2::text is not null) as s`)}
      )
      select from finished`,
    values: [intentId, attention, isAnswered],
  });
  return finished.length > 0;
}
