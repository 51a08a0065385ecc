// Clears the attention of a payment, and records the operator and the reason in the same statement.
import { WORKFLOW_HAS_COMPLETED } from '../../domain/intents/completed-workflow';
import type { IntentId } from '../../domain/ids';
import type { Queryable } from '../database';
import { endAttention } from './transition-parts';

interface Acknowledgement {
  readonly intentId: IntentId;
  readonly actor: string;
  readonly reason: string;
}

/**
 * False when there is no attention, or the payment is open: its attention ends with its next
 * transition.
 */
export async function acknowledgeAttention(
  database: Queryable,
  { intentId, actor, reason }: Acknowledgement,
): Promise<boolean> {
  const { rows } = await database.query({
    text: `
      with attention as (
        select intent_id, attention_reason from payment_intents
         where intent_id = $1 and attention_reason is not null
           and status not in ('created', 'authorized')
           for update
      ),
      cleared as (
        update payment_intents i set attention_reason = null, attention_since = null
          from attention a where i.intent_id = a.intent_id
      )
      insert into acknowledgements (intent_id, at, actor, reason, attention_reason)
      select intent_id, service_now(), $2, $3, attention_reason from attention
      returning intent_id`,
    values: [intentId, actor, reason],
  });
  return rows.length === 1;
}

/** The attention of src/domain/intents/completed-workflow.ts. */
export async function hasCompletedWorkflow(
  database: Queryable,
  intentId: IntentId,
): Promise<boolean> {
  const { rows } = await database.query({
    name: 'has-completed-workflow',
    text: 'select from payment_intents where intent_id = $1 and starts_with(attention_reason, $2)',
    values: [intentId, WORKFLOW_HAS_COMPLETED],
  });
  return rows.length > 0;
}

/**
 * Clears the attention of a payment whose workflow had completed
 * (src/domain/intents/completed-workflow.ts), since an operator has started another workflow for
 * it.
 */
export async function endCompletedWorkflowAttention(
  database: Queryable,
  intentId: IntentId,
): Promise<void> {
  await database.query({
    text: `update payment_intents i set ${endAttention()}
            where intent_id = $1 and starts_with(attention_reason, $2)`,
    values: [intentId, WORKFLOW_HAS_COMPLETED],
  });
}
