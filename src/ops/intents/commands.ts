// `payctl intents show | list` (docs/operations.md): arguments, help, and what is printed.
import { INTENT_STATUSES } from '../../domain/intents/payment-intent';
import { findIntents, intentListLines, type ListOptions } from './list-rows';
import { findIntentStory } from './story';
import { storyLines } from './story-lines';
import { acknowledge, closeLost, confirm, refund, resolve, resume } from './operator-commands';
import { LIMIT, parseInstant } from '../option-values';
import { noun, option, verb } from '../verb';

const show = verb('show <intent>', {
  does: 'Tell the whole story of a payment: what it waits for, its transitions, ledger entries, payout and webhook attempts.',
  work(intentId: string) {
    return ({ database }) => findIntentStory(database, intentId);
  },
  lines: storyLines,
});

const list = verb('list', {
  does: 'List payments, newest first; with --attention those that need people, the longest waiting first.',
  options: [
    option('--attention', 'only those that need people, with the reason and for how long'),
    option('--status <status>', 'only those that are it').choices(INTENT_STATUSES),
    option('--partner <partner>', 'only those of the partner_id'),
    option(
      '--since <time>',
      'only those created at or after it, such as 2026-03-02T12:00:00Z',
    ).argParser(parseInstant),
    LIMIT,
  ],
  work(options: ListOptions) {
    return ({ database }) => findIntents(database, options);
  },
  lines(intents, [{ attention }]) {
    if (intents.length > 0) return intentListLines(intents);
    return [attention === true ? 'No payment needs attention.' : 'There is no such payment.'];
  },
});

export const addIntentsCommands = noun(
  'intents',
  'Find payments, see what each waits for, and decide what only people can.',
  [show, list, refund, resolve, confirm, resume, acknowledge, closeLost],
);
