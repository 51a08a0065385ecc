// `payctl intents acknowledge`: ends the attention of a payment that is over.
import { decide } from '../../postgres/approvals/decide';
import type { Database } from '../../postgres/database';
import {
  AS,
  reasonedOperatorOf,
  STORED,
  type ReasonedOperator,
  type ReasonedOptions,
} from '../operator';
import { Rejection } from '../rejection';
import { required, verb } from '../verb';
import { findIntentStory, openAttention, paymentOf, type IntentStory } from './story';
import { storyLines } from './story-lines';

export const acknowledge = verb('acknowledge <intent>', {
  does: 'End the attention of a payment that is over, once its reason has been dealt with. The reason stays in the story.',
  options: [required('--reason <text>', `what was done about it; ${STORED}`), AS],
  work(intentId: string, options: ReasonedOptions) {
    const operator = reasonedOperatorOf(options);
    return ({ database }) => acknowledgeIntent(database, intentId, operator);
  },
  lines: storyLines,
});

/** @throws Rejection if the payment needs no attention, or is still open */
export async function acknowledgeIntent(
  database: Database,
  intentId: string,
  operator: ReasonedOperator,
): Promise<IntentStory> {
  const story = await findIntentStory(database, intentId);
  const kinds = openAttention(story).map(({ kind }) => kind);
  const { actor, reason } = operator;
  const given = { intent_id: paymentOf(story).intentId, kinds, reason };
  const done = await decide(database, { verb: 'intents acknowledge', given, actor });
  if (done !== null) return findIntentStory(database, intentId);
  const why =
    kinds.length === 0
      ? 'does not need attention'
      : `is ${story.status}: its attention ends when the payment moves on, or can be acknowledged then`;
  throw new Rejection(`${intentId} ${why}. Nothing was changed.`);
}
