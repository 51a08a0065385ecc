// `payctl intents reference`: the provider's own id of a payout whose answer was lost.
import { PROVIDER_REFERENCE_MAX_CHARACTERS } from '../../domain/payouts/limits';
import { decide } from '../../postgres/approvals/decide';
import type { Database } from '../../postgres/database';
import { command, sentenceLines } from '../layout';
import { AS, operatorName, type OperatorOptions } from '../operator';
import { Rejection } from '../rejection';
import { verb } from '../verb';
import { findIntentStory, paymentOf, type IntentStory } from './story';
import { storyLines } from './story-lines';

const REFERENCE = new RegExp(`^[!-~]{1,${String(PROVIDER_REFERENCE_MAX_CHARACTERS)}}$`);

export const reference = verb('reference <intent> <id>', {
  does: "Name the provider's own id of a payout whose answer was lost, for a provider that finds none by our key. It counts only if the provider's answer has our key.",
  options: [AS],
  work(intentId: string, id: string, options: OperatorOptions) {
    const actor = operatorName(options.as);
    return ({ database }) => nameReference(database, intentId, { id, actor });
  },
  lines: (story) => [
    ...storyLines(story),
    ...sentenceLines([
      'The next query, within about a minute, asks for this id. What the provider says of it then shows in:',
      command(`payctl intents show ${story.intent_id}`),
    ]),
  ],
});

/** @throws Rejection if the id is none, or the payment is not waiting for one */
async function nameReference(
  database: Database,
  intentId: string,
  { id, actor }: { readonly id: string; readonly actor: string },
): Promise<IntentStory> {
  const story = await findIntentStory(database, intentId);
  if (!REFERENCE.test(id)) {
    throw new Rejection(
      `An id of a provider has 1 to ${String(PROVIDER_REFERENCE_MAX_CHARACTERS)} printable characters without spaces. Nothing was changed.`,
    );
  }
  const given = { intent_id: paymentOf(story).intentId, reference: id };
  const done = await decide(database, { verb: 'intents reference', given, actor });
  if (done !== null) return findIntentStory(database, intentId);
  const known = story.payout?.reference ?? null;
  const why =
    known === null
      ? `is ${story.status}, with ${story.payout === null ? 'no payout' : 'a payout'}: only a payout that has begun, of an open payment, can be given an id`
      : `has the id ${known}, which the provider has named`;
  throw new Rejection(`${intentId} ${why}. Nothing was changed.`);
}
