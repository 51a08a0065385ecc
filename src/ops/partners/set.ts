// `payctl partners set`: replaces what a partner was registered with, in one transaction. An option
// that is not given changes nothing.
import type { Queryable } from '../../postgres/database';
import { decide, shownOnce } from '../../postgres/approvals/decide';
import type { Operator } from '../audit-trail';
import { requireConsent, yesFor, type Consent } from '../consent';
import { recordLines, sentenceLines } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { collect } from '../option-values';
import { Rejection } from '../rejection';
import type { PartnerTools } from '../session';
import { option, verb } from '../verb';
import { unsentSentences } from '../webhooks/endpoint-view';
import { changeDirectory } from './directory-change';
import { requirePartner } from './known-partner';
import {
  ALLOW,
  checkSettings,
  ENVIRONMENTS,
  SETTINGS,
  RETURN_SCHEME,
  type PartnerEnvironment,
  type PartnerSettings,
} from './options';
import { newWebhookSecret } from '../webhooks/new-secret';
import { givenSettings, rejectDuplicate } from './rows';
import {
  findPartnerStory,
  settingsShown,
  type PartnerSettingsShown,
  type PartnerStory,
} from './story';

interface PartnerChanges extends PartnerSettings, Consent {
  readonly partnerId: string;
  readonly env?: PartnerEnvironment | undefined;
}

export const set = verb('set <partner>', {
  does: 'Change what a partner was registered with. An option that is not given changes nothing. An option that can be repeated replaces the whole list.',
  options: [
    option('--jwks-url <url>', "the partner's published key set; the accepted iss follow it"),
    option(...ALLOW).argParser(collect),
    option(
      '--webhook-url <url>',
      'where webhooks are posted; the first URL makes a webhook secret, another one keeps it and enables the endpoint',
    ),
    RETURN_SCHEME,
    option(
      '--env <env>',
      'cannot be changed; rejected unless it is the environment of the partner',
    ).choices(ENVIRONMENTS),
    ...SETTINGS,
    yesFor('that --allow removes networks'),
    REASON,
    AS,
  ],
  work(partnerId: string, options: Omit<PartnerChanges, 'partnerId'> & OperatorOptions) {
    const operator = operatorOf(options);
    return (session) => setPartner(session, { ...options, partnerId }, operator);
  },
  lines: (partner) => [
    ...recordLines({ ...partner, webhook_endpoint: partner.webhook_endpoint?.url ?? null }),
    ...sentenceLines(setSentences(partner)),
  ],
});

function setSentences({ given, webhook_secret: secret, webhook_endpoint }: ChangedPartner) {
  const isEndpointSet = given.includes('webhook_endpoint') && webhook_endpoint !== null;
  return [
    ...(given.length === 0 ? ['No option was given, so nothing was changed.'] : []),
    secret === null
      ? 'Secrets are shown only by the command that makes them.'
      : 'The webhook secret is shown only once: hand it over now.',
    ...(isEndpointSet ? unsentSentences(webhook_endpoint) : []),
  ];
}

/**
 * As in `docs/operations/payctl-json.md`: without secrets that were shown before, and with the
 * current settings.
 */
interface ChangedPartner
  extends PartnerSettingsShown, Pick<PartnerStory, 'partner_id' | 'issuer' | 'webhook_endpoint'> {
  /** The newest active key; null if all are revoked. */
  readonly key_id: string | null;
  readonly signing_secret: null;
  /** Of an endpoint that this call made, and shown only once; otherwise null. */
  readonly webhook_secret: string | null;
  /** The names of the settings that this call was given. */
  readonly given: readonly string[];
}

/**
 * @throws Rejection if the partner is unknown, an option is invalid, another has the issuer, or
 *   networks would be removed without consent
 */
export async function setPartner(
  { database, seal, networks }: PartnerTools,
  { partnerId, ...changes }: PartnerChanges,
  operator: Operator,
): Promise<ChangedPartner> {
  const set = async (connection: Queryable) => {
    const environment = await requirePartner(connection, partnerId);
    rejectOtherEnvironment(partnerId, environment, changes);
    const settings = checkSettings(changes, { environment, networks });
    const before = await findPartnerStory(connection, partnerId);
    const wanted = await givenSettings(connection, { partnerId, environment }, settings);
    const { networks: wantedNetworks = before.networks } = wanted as Partial<PartnerStory>;
    if (!before.networks.every((network) => wantedNetworks.includes(network))) {
      requireConsent(
        changes,
        `${partnerId} may send from ${before.networks.join(', ')}, and ${wantedNetworks.join(', ')} would replace that.`,
      );
    }
    const given = Object.entries(settings).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    );
    const { webhookUrl } = changes;
    const { secret, ...made } = await newWebhookSecret(connection, seal, partnerId, webhookUrl);
    const details =
      given.map((name) => changeOf(name, before, { ...settings, ...wanted })).join('; ') ||
      'nothing';
    const { actor, reason } = operator;
    const done = await decide(connection, {
      ...{ verb: 'partners set', actor, ...made },
      given: { partner_id: partnerId, ...wanted, reason, details },
    });
    const after = await findPartnerStory(connection, partnerId);
    return toChanged(after, secret && shownOnce(done, secret), given);
  };
  return changeDirectory(database, set).catch((error: unknown) =>
    rejectDuplicate(error, { name: partnerId, jwksUrl: changes.jwksUrl }),
  );
}

/** For the audit trail, such as `networks: 203.0.113.7/32 -> 10.0.0.0/8`. */
function changeOf(name: string, before: PartnerStory, wanted: object): string {
  return `${name}: ${valueOf(name, before)} -> ${shown(new Map(Object.entries(wanted)).get(name))}`;
}

function shown(value: unknown): string {
  if (Buffer.isBuffer(value)) return 'another';
  return [value].flat().join(', ') || 'none';
}

function valueOf(name: string, story: PartnerStory): string {
  const { webhook_endpoint: endpoint, logo_id: logo, ...settings } = story;
  const values: Readonly<Record<string, unknown>> = {
    ...settings,
    ...{ logo, webhook_endpoint: endpoint?.url },
  };
  return shown(values[name]);
}

function rejectOtherEnvironment(
  partnerId: string,
  environment: PartnerEnvironment,
  { env = environment }: Pick<PartnerChanges, 'env'>,
): void {
  if (env === environment) return;
  throw new Rejection(
    `Partner ${partnerId} and its keys belong to ${environment} permanently. For ${env}, create a partner there.`,
  );
}

function toChanged(
  story: PartnerStory,
  webhookSecret: string | null,
  given: readonly string[],
): ChangedPartner {
  const active = story.keys.filter(({ status }) => status === 'active');
  return {
    partner_id: story.partner_id,
    key_id: active.at(-1)?.key_id ?? null,
    signing_secret: null,
    issuer: story.issuer,
    ...settingsShown(story),
    webhook_endpoint: story.webhook_endpoint,
    webhook_secret: webhookSecret,
    given,
  };
}
