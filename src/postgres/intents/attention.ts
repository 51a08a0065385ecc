// Raises and ends what a payment needs an operator for (src/domain/intents/attention.ts). Triggers
// show the open rows on the intent, and end those that a new status ends (migration 0002).
import type { Attention } from '../../domain/intents/attention';
import type { IntentId } from '../../domain/ids';
import { readRows, type Queryable } from '../database';

/**
 * Inserts open rows of attention; of a kind that is open already, only the sentence changes.
 * @param source the table expression `s` with their intent_id, kind and sentence
 */
export const insertAttention = (source: string): string => `
    insert into attention (intent_id, kind, since, sentence)
    select s.intent_id, s.kind, service_now(), s.sentence from ${source}
        on conflict (intent_id, kind) where ended_at is null
        do update set sentence = excluded.sentence`;

/** The open rows of the intent `i`, the oldest first, as {@link OpenAttention}. */
export const OPEN_ATTENTION = `(
         select coalesce(jsonb_agg(jsonb_build_object('kind', a.kind, 'since', ${isoTime('a.since')},
                                                      'sentence', a.sentence)
                                   order by a.since, a.kind), '[]')
           from attention a where a.intent_id = i.intent_id and a.ended_at is null)`;

export interface OpenAttention extends Attention {
  /** RFC 3339 with milliseconds, in UTC. */
  readonly since: string;
}

function isoTime(column: string): string {
  return `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** @param isSettled whether the payment may be over; otherwise only an open one is changed */
export async function raiseAttention(
  database: Queryable,
  intentId: IntentId,
  { kind, sentence }: Attention,
  isSettled: boolean,
): Promise<void> {
  await database.query({
    name: 'set-attention',
    text: `
      with payment as materialized (
        select intent_id from payment_intents
         where intent_id = $1 and ($4 or status in ('created', 'authorized'))
           for no key update
      )
      ${insertAttention('(select intent_id, $2 as kind, $3 as sentence from payment) as s')}`,
    values: [intentId, kind, sentence, isSettled],
  });
}

/** Whether no process may start a workflow for the payment: `workflow_gone` is open. */
export async function isWorkflowGone(database: Queryable, intentId: IntentId): Promise<boolean> {
  const rows = await readRows(database, {
    name: 'is-workflow-gone',
    text: 'select from payment_intents where intent_id = $1 and is_workflow_gone',
    values: [intentId],
  });
  return rows.length > 0;
}
