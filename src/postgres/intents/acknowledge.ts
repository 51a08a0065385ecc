// Ends the attention of a payment that is over, with who and why in the same statement.
import { WORKFLOW_HAS_COMPLETED } from '../../domain/intents/completed-workflow';
import type { IntentId } from '../../domain/ids';
import type { Queryable } from '../database';

interface Acknowledgement {
  readonly intentId: IntentId;
  readonly actor: string;
  readonly reason: string;
}

/** False when there was no attention to end, or the payment is open: that one's ends when it moves on. */
export async function acknowledgeAttention(
  database: Queryable,
  { intentId, actor, reason }: Acknowledgement,
): Promise<boolean> {
  const { rows } = await database.query({
    text: `
      with told as (
        select intent_id, attention_reason from payment_intents
         where intent_id = $1 and attention_reason is not null and status not in ('created', 'authorized')
           for update
      ),
      ended as (
        update payment_intents i set attention_reason = null, attention_since = null
          from told where i.intent_id = told.intent_id
      )
      insert into acknowledgements (intent_id, at, actor, reason, attention_reason)
      select intent_id, service_now(), $2, $3, attention_reason from told
      returning intent_id`,
    values: [intentId, actor, reason],
  });
  return rows.length === 1;
}

/** A payment that was parked beside a completed run (src/domain/intents/completed-workflow.ts) is looked after again: people have begun a run. */
export async function endCompletedWorkflowAttention(
  database: Queryable,
  intentId: IntentId,
): Promise<void> {
  await database.query({
    text: `update payment_intents set attention_reason = null, attention_since = null
            where intent_id = $1 and starts_with(attention_reason, $2)`,
    values: [intentId, WORKFLOW_HAS_COMPLETED],
  });
}
