// `payctl intents show`: the whole story of one payment.
import { verb } from '../verb';
import { findIntentStory } from './story';
import { storyLines } from './story-lines';

export const show = verb('show <intent>', {
  does: 'Show the whole story of a payment: what it waits for, its transitions, ledger entries, payout and webhook attempts.',
  work(intentId: string) {
    return ({ database }) => findIntentStory(database, intentId);
  },
  lines: storyLines,
});
