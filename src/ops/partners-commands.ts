// `payctl partners create | set` (architecture, section 7): options, help, and what is printed.
import { Option, type Command } from 'commander';
import type { Queryable } from '../postgres/database';
import { createPartner, type PartnerOptions } from './partners';
import { printRecord } from './print';
import { inSession } from './session';
import { setPartner, type PartnerChanges } from './set-partner';

interface Printing {
  readonly json?: boolean;
}

export function addPartnersCommands(payctl: Command): void {
  const partners = payctl
    .command('partners')
    .description('Onboard partners, and change what they were registered with.');
  addCreate(partners);
  addSet(partners);
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
  addAges(command).option('--json', 'print JSON').action(runSet);
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

async function runSet(partnerId: string, options: PartnerChanges & Printing): Promise<void> {
  const partner = await inSession(({ config, database, seal }) =>
    setPartner({ database, seal, networks: config.PARTNER_NETWORKS }, partnerId, options),
  );
  printRecord(partner, options.json === true, [
    partner.webhook_secret === null
      ? 'Secrets are shown only by the command that makes them.'
      : 'The webhook secret is shown this once: hand it over now.',
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

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
