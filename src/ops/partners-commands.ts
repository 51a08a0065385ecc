// `payctl partners create | set | list | show` (docs/operations.md): options, help, and what is printed.
import { Option, type Command } from 'commander';
import type { Queryable } from '../postgres/database';
import { createPartner, type PartnerOptions } from './create-partner';
import { sentenceLines } from './layout';
import { AS_OPTION, operatorOf, REASON_OPTION, type OperatorOptions } from './operator';
import { collect } from './option-values';
import { changedPartnerLines, partnerListLines, partnerStoryLines } from './partner-story-lines';
import { findPartnerStory, listPartners } from './partner-story';
import { printRecord, printStory } from './print';
import { inSession } from './session';
import { setPartner, type ChangedPartner, type PartnerChanges } from './set-partner';
import { missedSentences } from './webhook-sentences';

interface Printing {
  readonly json?: boolean;
}

export function addPartnersCommands(payctl: Command): void {
  const partners = payctl
    .command('partners')
    .description('Onboard partners, and change what they were registered with.');
  addCreate(partners);
  addSet(partners);
  partners
    .command('list')
    .description('List the partners with their active keys, and how their webhook endpoints stand.')
    .option('--json', 'print JSON')
    .action(runList);
  partners
    .command('show')
    .description(
      'Show what a partner is registered with, its keys, its webhook endpoint, and what operations did to it. No secret is shown.',
    )
    .argument('<partner>', 'a partner_id')
    .option('--json', 'print JSON')
    .action(runShow);
}

function addCreate(partners: Command): void {
  const command = partners
    .command('create')
    .usage('--name <slug> --jwks-url <url> --allow <cidr> [options]')
    .description(
      'Register a partner and issue its first signing key. Its secrets are printed this once.',
    )
    .requiredOption('--name <slug>', 'the partner_id: a-z, 0-9 and "-"')
    .requiredOption('--jwks-url <url>', "the partner's published key set")
    .requiredOption('--allow <cidr>', 'a source address or CIDR block; repeat for more', collect)
    .option('--webhook-url <url>', 'where events are posted')
    .option(
      '--return-scheme <scheme>',
      "the app's scheme; repeat for more, none for no scheme",
      collect,
    )
    .addOption(
      new Option('--env <env>', 'environment').choices(['sandbox', 'prod']).default('sandbox'),
    );
  addAges(command).option('--json', 'print JSON').action(runCreate);
}

function addSet(partners: Command): void {
  const command = partners
    .command('set')
    .description(
      'Change what a partner was registered with. An option that is not given leaves what is there, and one that may be repeated replaces the whole list.',
    )
    .argument('<partner>', 'a partner_id')
    .option('--jwks-url <url>', "the partner's published key set; the accepted iss follow it")
    .option('--allow <cidr>', 'a source address or CIDR block; repeat for more', collect)
    .option(
      '--webhook-url <url>',
      'where events are posted; the first one makes a webhook secret, another keeps it and enables the endpoint',
    )
    .option(
      '--return-scheme <scheme>',
      "the app's scheme; repeat for more, none for no scheme",
      collect,
    )
    .addOption(
      new Option('--env <env>', 'cannot be changed; refused unless it is the one it has').choices([
        'sandbox',
        'prod',
      ]),
    );
  addAges(command)
    .option(...REASON_OPTION)
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runSet);
}

/** Maximum ages of attestations are off unless set (decision 9). */
function addAges(command: Command): Command {
  return command
    .option(
      '--kyc-max-age <seconds>',
      'how old the KYC attestation of a token may be; "none" is any age',
    )
    .option(
      '--sanctions-max-age <seconds>',
      'how old the sanctions attestation of a token may be; "none" is any age',
    );
}

async function runCreate(options: PartnerOptions & Printing): Promise<void> {
  const partner = await inSession(async ({ config, database, seal }) =>
    createPartner(
      { database, seal, now: await readNow(database), networks: config.PARTNER_NETWORKS },
      options,
    ),
  );
  printRecord(partner, options.json === true, ['Secrets are shown this once: hand them over now.']);
}

async function runList({ json }: Printing): Promise<void> {
  const partners = await inSession(({ database }) => listPartners(database));
  printStory(partners, json === true, () => partnerListLines(partners));
}

async function runShow(partnerId: string, { json }: Printing): Promise<void> {
  const story = await inSession(({ database }) => findPartnerStory(database, partnerId));
  printStory(story, json === true, () => partnerStoryLines(story));
}

async function runSet(
  partnerId: string,
  { json, as, reason, ...changes }: Omit<PartnerChanges, 'partnerId'> & OperatorOptions & Printing,
): Promise<void> {
  const operator = operatorOf({ as, reason });
  const partner = await inSession(({ config, database, seal }) =>
    setPartner(
      { database, seal, networks: config.PARTNER_NETWORKS },
      { ...changes, partnerId },
      operator,
    ),
  );
  printStory(partner, json === true, () => [
    ...changedPartnerLines(partner),
    ...sentenceLines(setSentences(partner)),
  ]);
}

/** One clock names quarters and ends keys: the database's. */
async function readNow(database: Queryable): Promise<Date> {
  const { rows } = await database.query<{ readonly now: Date }>({
    text: 'select service_now() as now',
  });
  if (rows[0] === undefined) throw new Error('the database tells no time');
  return rows[0].now;
}

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
