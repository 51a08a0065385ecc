// `payctl webhooks set | rotate | disable | list` (docs/operations.md): arguments, help, and what is printed.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { ROTATION_OVERLAP_SECONDS } from '../domain/limits';
import { readEndpoints } from '../postgres/webhook-endpoints';
import { WEBHOOK_STATES, type WebhookState } from '../postgres/webhook-story';
import { toShownEndpoint } from './endpoint-view';
import {
  AS_OPTION,
  KEPT,
  operatorOf,
  REASON_OPTION,
  reasonedOperatorOf,
  type ReasonedOptions,
  type OperatorOptions,
} from './operator';
import { addLimit, wholeNumber } from './option-values';
import { sentenceLines } from './layout';
import { printRecord, printStory } from './print';
import { inSession } from './session';
import {
  disableWebhook,
  rotateWebhookSecret,
  setWebhook,
  type ExtraEvent,
} from './webhook-endpoint';
import { disabledSentences, rotatedSentences, setSentences } from './webhook-sentences';
import { endpointListLines, eventListLines, findWebhookEvents } from './webhook-list';
import { addReplayCommand } from './webhook-replay-command';

const EXTRA_EVENTS: readonly ExtraEvent[] = ['expired', 'cancelled'];
const OVERLAP_DEFAULT_HOURS = ROTATION_OVERLAP_SECONDS / 3_600;
const OVERLAP_MAX_HOURS = 9_999;

interface Printing {
  readonly json?: boolean;
}

export function addWebhooksCommands(payctl: Command): void {
  const webhooks = payctl
    .command('webhooks')
    .description(
      'Where partners are told of their payments, what they did not get, and send it again.',
    );
  addSet(webhooks);
  addRotate(webhooks);
  addDisable(webhooks);
  addList(webhooks);
  addReplayCommand(webhooks);
}

function addSet(webhooks: Command): void {
  webhooks
    .command('set')
    .description(
      'Make the webhook endpoint of a partner, or change it; a disabled one is enabled. It is told of captured, failed and refunded payments, and of others on request. The secret of a new one is printed this once.',
    )
    .argument('<partner>', 'a partner_id')
    .option(
      '--url <url>',
      'where events are posted; one that is there keeps its address unless given',
    )
    .option(
      '--also <event>',
      'expired or cancelled, which it asked for; repeat for both, none for neither',
      collectExtra,
    )
    .option(...REASON_OPTION)
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runSet);
}

/** @throws InvalidArgumentError, which commander tells */
function collectExtra(value: string, previous?: readonly ExtraEvent[]): readonly ExtraEvent[] {
  if (value === 'none' && previous === undefined) return [];
  const event = EXTRA_EVENTS.find((name) => name === value);
  const isAlone = previous?.length === 0;
  if (event === undefined || isAlone) {
    throw new InvalidArgumentError('It is expired or cancelled, or none and nothing beside it.');
  }
  return [...(previous ?? []), event];
}

function addRotate(webhooks: Command): void {
  webhooks
    .command('rotate')
    .description(
      'Make a new webhook secret for a partner, which is printed this once. The old one signs beside it for the overlap; one that is older still signs no more.',
    )
    .argument('<partner>', 'a partner_id')
    .option(
      '--overlap-hours <hours>',
      'how long the old one signs too; 0 for no longer',
      wholeNumber(0, OVERLAP_MAX_HOURS),
      OVERLAP_DEFAULT_HOURS,
    )
    .option(...REASON_OPTION)
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runRotate);
}

function addDisable(webhooks: Command): void {
  webhooks
    .command('disable')
    .description(
      'Send a partner nothing more until "webhooks set". What is owed to it by then counts as missed, and "webhooks replay" sends it later.',
    )
    .argument('<partner>', 'a partner_id')
    .requiredOption('--reason <text>', `why, for whoever enables it; ${KEPT}`)
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runDisable);
}

function addList(webhooks: Command): void {
  const command = webhooks
    .command('list')
    .description(
      'List the webhook endpoints with what they are owed, have missed and did not take. With a partner: its newest events, each with its last attempt.',
    )
    .argument('[partner]', 'a partner_id')
    .addOption(
      new Option('--state <state>', 'only events that are it').choices([...WEBHOOK_STATES]),
    );
  addLimit(command).option('--json', 'print JSON').action(runList);
}

interface SetOptions extends OperatorOptions, Printing {
  readonly url?: string;
  readonly also?: readonly ExtraEvent[];
}

async function runSet(partnerId: string, options: SetOptions): Promise<void> {
  const operator = operatorOf(options);
  const { url, also } = options;
  const endpoint = await inSession(({ config, database, seal }) =>
    setWebhook(
      { database, seal, networks: config.PARTNER_NETWORKS },
      { partnerId, url, also },
      operator,
    ),
  );
  printStory(endpoint, options.json === true, () => [
    ...endpointListLines([endpoint]),
    ...(endpoint.webhook_secret === null ? [] : ['', endpoint.webhook_secret]),
    ...sentenceLines(setSentences(endpoint)),
  ]);
}

interface RotateOptions extends OperatorOptions, Printing {
  readonly overlapHours: number;
}

async function runRotate(partnerId: string, options: RotateOptions): Promise<void> {
  const operator = operatorOf(options);
  const { overlapHours } = options;
  const rotated = await inSession((session) =>
    rotateWebhookSecret(session, { partnerId, overlapHours }, operator),
  );
  printRecord(rotated, options.json === true, rotatedSentences(rotated));
}

interface DisableOptions extends ReasonedOptions, Printing {}

async function runDisable(partnerId: string, options: DisableOptions): Promise<void> {
  const operator = reasonedOperatorOf(options);
  const disabled = await inSession(({ database }) => disableWebhook(database, partnerId, operator));
  printStory(disabled, options.json === true, () => [
    ...endpointListLines([disabled]),
    ...sentenceLines(disabledSentences(disabled)),
  ]);
}

interface ListOptions extends Printing {
  readonly state?: WebhookState;
  readonly limit: number;
}

async function runList(
  partnerId: string | undefined,
  { state, limit, json }: ListOptions,
  command: Command,
): Promise<void> {
  if (partnerId !== undefined) {
    const filter = { partnerId, state, limit };
    const events = await inSession(({ database }) => findWebhookEvents(database, filter));
    printStory(events, json === true, () => eventListLines(events));
    return;
  }
  if (state !== undefined)
    command.error('error: --state is about the events of a partner: name one');
  const rows = await inSession(({ database }) => readEndpoints(database));
  const endpoints = rows.map(toShownEndpoint);
  printStory(endpoints, json === true, () => endpointListLines(endpoints));
}
