// `payctl webhooks set | rotate | disable | list` (docs/operations.md): arguments, help, and what is printed.
import { InvalidArgumentError } from 'commander';
import { ROTATION_OVERLAP_SECONDS } from '../../domain/limits';
import { readEndpoints } from '../../postgres/webhooks/endpoints';
import { WEBHOOK_STATES, type WebhookState } from '../../postgres/reports/webhook-story';
import { toShownEndpoint } from './endpoint-view';
import { recordAndSentences, sentenceLines } from '../layout';
import {
  AS,
  KEPT,
  operatorOf,
  REASON,
  reasonedOperatorOf,
  type OperatorOptions,
  type ReasonedOptions,
} from '../operator';
import { LIMIT, wholeNumber } from '../option-values';
import { BadOption } from '../rejection';
import { noun, option, required, verb } from '../verb';
import {
  disableWebhook,
  rotateWebhookSecret,
  setWebhook,
  type EndpointOptions,
  type ExtraEvent,
} from './endpoint';
import { endpointListLines, eventListLines, findWebhookEvents } from './list-lines';
import { replay } from './replay';
import { disabledSentences, rotatedSentences, setSentences } from './sentences';

const EXTRA_EVENTS: readonly ExtraEvent[] = ['expired', 'cancelled'];
const OVERLAP_DEFAULT_HOURS = ROTATION_OVERLAP_SECONDS / 3_600;
const OVERLAP_MAX_HOURS = 9_999;

const set = verb('set <partner>', {
  does: 'Make the webhook endpoint of a partner, or change it; a disabled one is enabled. It is told of captured, failed and refunded payments, and of others on request. The secret of a new one is printed this once.',
  options: [
    option(
      '--url <url>',
      'where events are posted; one that is there keeps its address unless given',
    ),
    option(
      '--also <event>',
      'expired or cancelled, which it asked for; repeat for both, none for neither',
    ).argParser(collectExtra),
    REASON,
    AS,
  ],
  work(partnerId: string, options: Omit<EndpointOptions, 'partnerId'> & OperatorOptions) {
    const operator = operatorOf(options);
    return ({ config, database, seal }) =>
      setWebhook(
        { database, seal, networks: config.PARTNER_NETWORKS },
        { ...options, partnerId },
        operator,
      );
  },
  lines: (endpoint) => [
    ...endpointListLines([endpoint]),
    ...(endpoint.webhook_secret === null ? [] : ['', endpoint.webhook_secret]),
    ...sentenceLines(setSentences(endpoint)),
  ],
});

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

const rotate = verb('rotate <partner>', {
  does: 'Make a new webhook secret for a partner, which is printed this once. The old one signs beside it for the overlap; one that is older still signs no more.',
  options: [
    option('--overlap-hours <hours>', 'how long the old one signs too; 0 for no longer')
      .argParser(wholeNumber(0, OVERLAP_MAX_HOURS))
      .default(OVERLAP_DEFAULT_HOURS),
    REASON,
    AS,
  ],
  work(partnerId: string, options: OperatorOptions & { readonly overlapHours: number }) {
    const operator = operatorOf(options);
    const { overlapHours } = options;
    return (session) => rotateWebhookSecret(session, { partnerId, overlapHours }, operator);
  },
  lines: (rotated) => recordAndSentences(rotated, rotatedSentences(rotated)),
});

const disable = verb('disable <partner>', {
  does: 'Send a partner nothing more until "webhooks set". What is owed to it by then counts as missed, and "webhooks replay" sends it later.',
  options: [required('--reason <text>', `why, for whoever enables it; ${KEPT}`), AS],
  work(partnerId: string, options: ReasonedOptions) {
    const operator = reasonedOperatorOf(options);
    return ({ database }) => disableWebhook(database, partnerId, operator);
  },
  lines: (disabled) => [
    ...endpointListLines([disabled]),
    ...sentenceLines(disabledSentences(disabled)),
  ],
});

interface ListOptions {
  readonly state?: WebhookState;
  readonly limit: number;
}

const list = verb('list [partner]', {
  does: 'List the webhook endpoints with what they are owed, have missed and did not take. With a partner: its newest events, each with its last attempt.',
  options: [option('--state <state>', 'only events that are it').choices(WEBHOOK_STATES), LIMIT],
  work(partnerId: string | undefined, { state, limit }: ListOptions) {
    if (partnerId === undefined && state !== undefined) {
      throw new BadOption('--state is about the events of a partner: name one');
    }
    return async ({ database }) =>
      partnerId === undefined
        ? { endpoints: (await readEndpoints(database)).map(toShownEndpoint) }
        : { events: await findWebhookEvents(database, { partnerId, state, limit }) };
  },
  json: ({ endpoints, events }) => endpoints ?? events,
  lines: ({ endpoints, events }) =>
    endpoints === undefined ? eventListLines(events) : endpointListLines(endpoints),
});

export const addWebhooksCommands = noun(
  'webhooks',
  'Where partners are told of their payments, what they did not get, and send it again.',
  [set, rotate, disable, list, replay],
);
