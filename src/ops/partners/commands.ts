// `payctl partners create | set | list | show` (docs/operations.md): options, help, and what is printed.
import { createPartner, type PartnerOptions } from './create';
import { recordAndSentences, sentenceLines } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { collect } from '../option-values';
import { changedPartnerLines, partnerListLines, partnerStoryLines } from './story-lines';
import { findPartnerStory, listPartners } from './story';
import { setPartner, type ChangedPartner, type PartnerChanges } from './set';
import { databaseTime } from '../system-time';
import { noun, option, required, verb } from '../verb';
import { missedSentences } from '../webhooks/sentences';

const ENVIRONMENTS = ['sandbox', 'prod'];
const ALLOW = ['--allow <cidr>', 'a source address or CIDR block; repeat for more'] as const;
const RETURN_SCHEME = option(
  '--return-scheme <scheme>',
  "the app's scheme; repeat for more, none for no scheme",
).argParser(collect);

/** Maximum ages of attestations are off unless set (decision 9). */
const AGES = [
  option(
    '--kyc-max-age <seconds>',
    'how old the KYC attestation of a token may be; "none" is any age',
  ),
  option(
    '--sanctions-max-age <seconds>',
    'how old the sanctions attestation of a token may be; "none" is any age',
  ),
];

const create = verb('create', {
  usage: '--name <slug> --jwks-url <url> --allow <cidr> [options]',
  does: 'Register a partner and issue its first signing key. Its secrets are printed this once.',
  options: [
    required('--name <slug>', 'the partner_id: a-z, 0-9 and "-"'),
    required('--jwks-url <url>', "the partner's published key set"),
    required(...ALLOW).argParser(collect),
    option('--webhook-url <url>', 'where events are posted'),
    RETURN_SCHEME,
    option('--env <env>', 'environment').choices(ENVIRONMENTS).default('sandbox'),
    ...AGES,
  ],
  work(options: PartnerOptions) {
    return async ({ config, database, seal }) =>
      createPartner(
        { database, seal, now: await databaseTime(database), networks: config.PARTNER_NETWORKS },
        options,
      );
  },
  lines: (partner) =>
    recordAndSentences(partner, ['Secrets are shown this once: hand them over now.']),
});

const set = verb('set <partner>', {
  does: 'Change what a partner was registered with. An option that is not given leaves what is there, and one that may be repeated replaces the whole list.',
  options: [
    option('--jwks-url <url>', "the partner's published key set; the accepted iss follow it"),
    option(...ALLOW).argParser(collect),
    option(
      '--webhook-url <url>',
      'where events are posted; the first one makes a webhook secret, another keeps it and enables the endpoint',
    ),
    RETURN_SCHEME,
    option('--env <env>', 'cannot be changed; refused unless it is the one it has').choices(
      ENVIRONMENTS,
    ),
    ...AGES,
    REASON,
    AS,
  ],
  work(partnerId: string, options: Omit<PartnerChanges, 'partnerId'> & OperatorOptions) {
    const operator = operatorOf(options);
    return ({ config, database, seal }) =>
      setPartner(
        { database, seal, networks: config.PARTNER_NETWORKS },
        { ...options, partnerId },
        operator,
      );
  },
  lines: (partner) => [...changedPartnerLines(partner), ...sentenceLines(setSentences(partner))],
});

const list = verb('list', {
  does: 'List the partners with their active keys, and how their webhook endpoints stand.',
  work() {
    return ({ database }) => listPartners(database);
  },
  lines: partnerListLines,
});

const show = verb('show <partner>', {
  does: 'Show what a partner is registered with, its keys, its webhook endpoint, and what operations did to it. No secret is shown.',
  work(partnerId: string) {
    return ({ database }) => findPartnerStory(database, partnerId);
  },
  lines: partnerStoryLines,
});

export const addPartnersCommands = noun(
  'partners',
  'Onboard partners, and change what they were registered with.',
  [create, set, list, show],
);

function setSentences({ given, webhook_secret: secret, webhook_endpoint }: ChangedPartner) {
  const isEndpointSet = given.includes('webhook_endpoint') && webhook_endpoint !== null;
  return [
    ...(given.length === 0 ? ['Nothing was given, so nothing was changed.'] : []),
    secret === null
      ? 'Secrets are shown only by the command that makes them.'
      : 'The webhook secret is shown this once: hand it over now.',
    ...(isEndpointSet ? missedSentences(webhook_endpoint) : []),
  ];
}
