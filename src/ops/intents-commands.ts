// `payctl intents show | list` (architecture, section 7; docs/operations.md): arguments, help, and what is printed.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { INTENT_STATUSES } from '../domain/payment-intent';
import { findIntents, toListRow, type ListOptions } from './intent-list';
import { findIntentStory } from './intent-story';
import { storyLines } from './intent-story-lines';
import { addOperatorCommands } from './operator-commands';
import { printRows, printStory } from './print';
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

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000;

function addList(intents: Command): void {
  intents
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
    )
    .option('--limit <count>', `how many at most, up to ${LIMIT_MAX}`, parseLimit, LIMIT_DEFAULT)
    .option('--json', 'print JSON')
    .action(runList);
}

async function runShow(intentId: string, { json }: Printing): Promise<void> {
  const story = await inSession(({ database }) => findIntentStory(database, intentId));
  printStory(story, json === true, () => storyLines(story));
}

async function runList({ json, ...options }: ListOptions & Printing): Promise<void> {
  const isAttention = options.attention === true;
  const intents = await inSession(({ database }) => findIntents(database, options));
  printRows(
    json === true ? intents : intents.map((intent) => toListRow(intent, isAttention)),
    json === true,
    isAttention ? 'No payment needs attention.' : 'There is no such payment.',
  );
}

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function parseInstant(text: string): Date {
  const instant = new Date(text.toUpperCase());
  if (RFC3339.test(text) && !Number.isNaN(instant.getTime())) return instant;
  throw new InvalidArgumentError('It is an RFC 3339 time, such as 2026-03-02T12:00:00Z.');
}

function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${LIMIT_MAX}.`);
}
