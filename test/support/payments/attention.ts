// Attention for tests that need any, and as one text.
import type { Attention, AttentionKind } from '../../../src/domain/intents/attention';

export const anAttention = (
  sentence: string,
  kind: AttentionKind = 'payout_unknown',
): Attention => ({ kind, sentence });

/** SQL: the sentences of what is open for the intent `i`, the oldest first; null if nothing is. */
export const OPEN_SENTENCES = `(select string_agg(a.sentence, ' ' order by a.attention_id)
   from attention a where a.intent_id = i.intent_id and a.ended_at is null)`;
