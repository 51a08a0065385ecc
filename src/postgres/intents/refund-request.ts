// Which request refunded an intent (decision 16): the audit trail stores the request that changed
// the status.
import type { IntentId } from '../../domain/ids';
import type { Queryable } from '../database';

/** Whether it was this request, and not another, that refunded the intent. */
export async function isRefundedBy(
  database: Queryable,
  intentId: IntentId,
  requestId: string,
): Promise<boolean> {
  const { rows } = await database.query({
    text: `select from intent_transitions
            where intent_id = $1 and to_status = 'refunded' and request_id = $2`,
    values: [intentId, requestId],
  });
  return rows.length === 1;
}
