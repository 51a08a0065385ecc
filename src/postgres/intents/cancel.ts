// Answers a cancel from the rows alone (architecture, section 3, rule R2; decision 25).
import type { CancelAnswer } from '../../ports/intents';
import type { IntentId } from '../../domain/ids';
import { isSettled } from '../../domain/intents/transitions';
import { readRows, type Queryable } from '../database';
import { INTENT_COLUMNS_AS_SEEN, toPaymentIntent, type IntentRow } from './row';

interface AnsweredRow extends IntentRow {
  readonly is_answerer: boolean;
  readonly is_payout_sent: boolean;
}

export async function answerCancel(
  database: Queryable,
  intentId: IntentId,
  requestId: string,
): Promise<CancelAnswer | undefined> {
  const [row] = await readRows<AnsweredRow>(database, {
    name: 'answer-cancel',
    text: `
      with claimed_answer as (
        update payment_intents set cancel_answered_by = $2
         where intent_id = $1 and status = 'cancelled'
           and (cancel_answered_by is null or cancel_answered_by = $2)
        returning intent_id
      )
      select ${INTENT_COLUMNS_AS_SEEN},
             exists (select from claimed_answer) as is_answerer,
             exists (select from payouts p where p.intent_id = i.intent_id) as is_payout_sent
        from payment_intents i where i.intent_id = $1`,
    values: [intentId, requestId],
  });
  if (row === undefined) return undefined;
  const intent = toPaymentIntent(row);
  if (row.is_answerer) return { answer: 'accepted', intent };
  const isTooLate = isSettled(intent.status) || row.is_payout_sent;
  return { answer: isTooLate ? 'conflict' : 'undecided', intent };
}
