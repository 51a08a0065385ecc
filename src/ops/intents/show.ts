// `payctl intents show`: the whole story of one payment.
import { isSettled, parseIntentStatus } from '../../domain/intents/transitions';
import type { Session } from '../session';
import { verb } from '../verb';
import { findStoryRows, requireIntentId, toStory, type IntentStory } from './story';
import { storyLines } from './story-lines';
import { waitingFor } from './waiting';
import { readWorkflowState } from './workflow-state';

export const show = verb('show <intent>', {
  does: 'Show the whole story of a payment: what it waits for, its transitions, ledger entries, payout and webhook attempts, and what Temporal says of its workflow.',
  work(intentId: string) {
    return (session) => findWithWorkflow(session, intentId);
  },
  lines: storyLines,
});

async function findWithWorkflow(session: Session, text: string) {
  const rows = await findStoryRows(session.database, text);
  const story = toStory(rows);
  // Null for a payment that is over: its workflow may be deleted.
  const workflow = isOver(story) ? null : await readWorkflowState(session, requireIntentId(text));
  return { ...story, waiting_for: waitingFor(rows, workflow), workflow };
}

function isOver({ status, webhooks }: IntentStory): boolean {
  return isSettled(parseIntentStatus(status)) && webhooks.every(({ state }) => state !== 'pending');
}
