// `payctl intents resume`: the workflow of an open payment reads its row again and continues.
import { isSettled, parseIntentStatus } from '../../domain/intents/transitions';
import { decide } from '../../postgres/approvals/decide';
import { resumePayment as requestResume } from '../../temporal/payment-start';
import { command, sentenceLines } from '../layout';
import { Rejection } from '../rejection';
import { option, verb } from '../verb';
import { findIntentStory, paymentOf, type IntentStory } from './story';
import { storyLines } from './story-lines';
import {
  rejectCompleted,
  rejectKept,
  request,
  withTools,
  type ActionTools,
} from './workflow-request';

export const resume = verb('resume <intent>', {
  does: 'Make the workflow of an open payment read its row again and query the provider now, about an amount mismatch too. An unknown payout is queried about every minute in any case. A workflow that is gone is started.',
  options: [
    option(
      '--after-restore',
      'start a workflow although one had completed and has been deleted: after a restore, once you have compared (docs/restore.md)',
    ),
  ],
  work: (intentId: string, { afterRestore }: { readonly afterRestore?: boolean }) =>
    withTools((tools) => resumePayment(tools, intentId, afterRestore)),
  lines: (story) => [
    ...storyLines(story),
    ...sentenceLines([
      'This is the payment as the request left it. What the workflow then read or was answered shows within seconds:',
      command(`payctl intents show ${story.intent_id}`),
    ]),
  ],
});

/**
 * @param isAfterRestore operators have compared, so a workflow starts although one had completed
 * @throws Rejection if the payment is over, its workflow has completed, or Temporal gives no answer
 */
export async function resumePayment(
  tools: ActionTools,
  intentId: string,
  isAfterRestore = false,
): Promise<IntentStory> {
  const story = await findIntentStory(tools.database, intentId);
  if (isSettled(parseIntentStatus(story.status))) {
    throw new Rejection(`${intentId} is ${story.status}: there is nothing to resume.`);
  }
  const payment = paymentOf(story);
  if (isAfterRestore) {
    await rejectKept(tools, payment.intentId);
    // Before the start: the workflow could move nothing.
    const given = { intent_id: payment.intentId };
    await decide(tools.database, { verb: 'intents resume', given });
  } else {
    await rejectCompleted(tools, story, 'Once you have compared, --after-restore starts one.');
  }
  const unknownEffect = 'It is safe to repeat this command.';
  await request(tools, (client) => requestResume(client, payment), unknownEffect);
  return findIntentStory(tools.database, intentId);
}
