// `payctl webhooks set` (decision 17): makes the webhook endpoint of a partner, or changes it, and
// enables it. It applies to every attempt that begins after the command has returned.
import { InvalidArgumentError } from 'commander';
import {
  WEBHOOK_EVENT_TYPES,
  WEBHOOK_EVENT_TYPES_BY_DEFAULT,
  type WebhookEventType,
} from '../../domain/webhooks/event';
import { readEndpoints, type EndpointRow } from '../../postgres/webhooks/endpoints';
import { decide, shownOnce } from '../../postgres/approvals/decide';
import type { Queryable } from '../../postgres/database';
import type { Operator } from '../audit-trail';
import { sentenceLines } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { changeDirectory } from '../partners/directory-change';
import { requirePartner } from '../partners/known-partner';
import { checkAddress } from '../partners/options';
import type { PartnerTools } from '../session';
import { option, verb } from '../verb';
import {
  endpointListLines,
  extraEvents,
  findEndpoint,
  noEndpoint,
  unsentSentences,
  type ShownEndpoint,
} from './endpoint-view';
import { newWebhookSecret } from './new-secret';

/** The events that are sent on request only. */
type ExtraEvent = 'expired' | 'cancelled';

const EXTRA_EVENTS: readonly ExtraEvent[] = ['expired', 'cancelled'];

interface EndpointOptions {
  readonly partnerId: string;
  /** Undefined keeps the current URL. */
  readonly url?: string | undefined;
  /** Undefined keeps the current extra events. */
  readonly also?: readonly ExtraEvent[] | undefined;
}

export const set = verb('set <partner>', {
  does: 'Make the webhook endpoint of a partner, or change it. A disabled endpoint is enabled. It receives the events captured, failed and refunded, and others on request. The secret of a new endpoint is printed only once.',
  options: [
    option('--url <url>', 'where webhooks are posted; without it, an endpoint keeps its URL'),
    option(
      '--also <event>',
      'send expired or cancelled too, as the partner requested; repeat for both, none for neither',
    ).argParser(collectExtra),
    REASON,
    AS,
  ],
  work(partnerId: string, options: Omit<EndpointOptions, 'partnerId'> & OperatorOptions) {
    const operator = operatorOf(options);
    return (session) => setWebhook(session, { ...options, partnerId }, operator);
  },
  lines: (endpoint) => [
    ...endpointListLines([endpoint]),
    ...(endpoint.webhook_secret === null ? [] : ['', endpoint.webhook_secret]),
    ...sentenceLines(setSentences(endpoint)),
  ],
});

/** @throws InvalidArgumentError, which commander prints */
function collectExtra(value: string, previous?: readonly ExtraEvent[]): readonly ExtraEvent[] {
  if (value === 'none' && previous === undefined) return [];
  const event = EXTRA_EVENTS.find((name) => name === value);
  const isAfterNone = previous?.length === 0;
  if (event === undefined || isAfterNone) {
    throw new InvalidArgumentError('Expected expired or cancelled, or none alone.');
  }
  return [...(previous ?? []), event];
}

function setSentences(endpoint: SetEndpoint): readonly string[] {
  return [
    endpoint.webhook_secret === null
      ? 'The secret is unchanged; it was shown when it was made.'
      : 'The webhook secret is shown only once: hand it over now.',
    ...unsentSentences(endpoint),
  ];
}

interface SetEndpoint extends ShownEndpoint {
  /** Of an endpoint that this call made, and shown only once; otherwise null. */
  readonly webhook_secret: string | null;
}

/** @throws Rejection if the partner is unknown, or has no endpoint and no URL was given */
export function setWebhook(
  { database, seal, networks }: PartnerTools,
  { partnerId, url, also }: EndpointOptions,
  operator: Operator,
): Promise<SetEndpoint> {
  return changeDirectory(database, async (connection) => {
    const environment = await requirePartner(connection, partnerId);
    checkAddress('--url', url, { environment, networks });
    const eventTypes = also === undefined ? undefined : typesWith(also);
    const change = await changeOf(connection, { partnerId, url, eventTypes });
    const { actor, reason } = operator;
    const { secret, ...made } = await newWebhookSecret(connection, seal, partnerId, url);
    const given = { partner_id: partnerId, ...change, reason };
    const done = await decide(connection, { verb: 'webhooks set', given, actor, ...made });
    const endpoint = await findEndpoint(connection, partnerId);
    return { ...endpoint, webhook_secret: secret && shownOnce(done, secret) };
  });
}

interface EndpointChange {
  readonly partnerId: string;
  readonly url: string | undefined;
  readonly eventTypes: readonly WebhookEventType[] | undefined;
}

/** @throws Rejection if there is no endpoint and no URL was given */
async function changeOf(connection: Queryable, { partnerId, url, eventTypes }: EndpointChange) {
  const [before] = await readEndpoints(connection, partnerId);
  if (before !== undefined) {
    const wanted = { url: url ?? before.url, event_types: eventTypes ?? before.event_types };
    return { ...wanted, details: `${describe(before)} -> ${describe(wanted)}` };
  }
  if (url === undefined) throw noEndpoint(partnerId);
  const made = { url, event_types: eventTypes ?? WEBHOOK_EVENT_TYPES_BY_DEFAULT };
  return { ...made, details: `none -> ${describe(made)}` };
}

function typesWith(also: readonly ExtraEvent[]): readonly WebhookEventType[] {
  const wanted = [
    ...WEBHOOK_EVENT_TYPES_BY_DEFAULT,
    ...also.map((name) => `payment_intent.${name}`),
  ];
  return WEBHOOK_EVENT_TYPES.filter((type) => wanted.includes(type));
}

function describe({ url, event_types }: Pick<EndpointRow, 'url' | 'event_types'>): string {
  const also = extraEvents(event_types);
  return also.length === 0 ? url : `${url}, also ${also.join(' and ')}`;
}
