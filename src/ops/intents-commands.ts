// `payctl intents show | list` (docs/operations.md): arguments, help, and what is printed.
import { Option, type Command } from 'commander';
import { INTENT_STATUSES } from '../domain/payment-intent';
import { addCloseLostCommand } from './close-lost-command';
import { findIntents, intentListLines, type ListOptions } from './intent-list';
import { findIntentStory } from './intent-story';
import { storyLines } from './intent-story-lines';
import { addOperatorCommands } from './operator-commands';
import { addLimit, parseInstant } from './option-values';
import { printStory } from './print';
import { addRefundCommand } from './refund-command';
import { inSession } from './session';

interface Printing {
  readonly json?: boolean;
}

export function addIntentsCommands(payctl: Command): void {
  const intents = payctl
    .command('intents')
    .description('Find payments, see what each waits for, and decide what only people can.');
  addShow(intents);
  addList(intents);
  addRefundCommand(intents);
  addOperatorCommands(intents);
  addCloseLostCommand(intents);
}

function addShow(intents: Command): void {
  intents
    .command('show')
    .description(
      'Tell the whole story of a payment: what it waits for, its transitions, ledger entries, payout and webhook attempts.',
    )
    .argument('<intent>', 'an intent_id')
    .option('--json', 'print JSON')
    .action(runShow);
}

function addList(intents: Command): void {
  const command = intents
    .command('list')
    .description(
      'List payments, newest first; with --attention those that need people, the longest waiting first.',
    )
    .option('--attention', 'only those that need people, with the reason and for how long')
    .addOption(new Option('--status <status>', 'only those that are it').choices(INTENT_STATUSES))
    .option('--partner <partner>', 'only those of the partner_id')
    .option(
      '--since <time>',
      'only those created at or after it, such as 2026-03-02T12:00:00Z',
      parseInstant,
    );
  addLimit(command).option('--json', 'print JSON').action(runList);
}

async function runShow(intentId: string, { json }: Printing): Promise<void> {
  const story = await inSession(({ database }) => findIntentStory(database, intentId));
  printStory(story, json === true, () => storyLines(story));
}

async function runList({ json, ...options }: ListOptions & Printing): Promise<void> {
  const isAttention = options.attention === true;
  const intents = await inSession(({ database }) => findIntents(database, options));
  const whenEmpty = isAttention ? 'No payment needs attention.' : 'There is no such payment.';
  printStory(intents, json === true, () =>
    intents.length === 0 ? [whenEmpty] : intentListLines(intents),
  );
}
