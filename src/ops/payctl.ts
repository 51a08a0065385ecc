// `payctl <noun> <verb>`: tables for people, `--json` for programs; exits 0, 1 (refused) or 2 (usage)
// (architecture, section 7).
import { Command, CommanderError, Option } from 'commander';
import { ConfigError, processEnvironment, readOpsConfig } from '../config';
import { createDatabase } from '../postgres/database';
import { createSecretSeal } from '../signing/sealed-secret';
import { opsEnvironment } from './environment';
import { createPartner, type PartnerOptions } from './partners';
import { printRecord } from './print';
import { Refusal } from './refusal';

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

interface Printing {
  readonly json?: boolean;
}

export function createPayctl(): Command {
  const payctl = new Command('payctl')
    .description(
      'Operations of the payment engine. Without DATABASE_URL it works on the running sandbox.',
    )
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });
  const partners = payctl.command('partners').description('Onboard partners.');
  partners
    .command('create')
    .description(
      'Register a partner and issue its first signing key. Its secrets are printed this once.',
    )
    .requiredOption('--name <slug>', 'the partner_id: a-z, 0-9 and "-"')
    .requiredOption('--jwks-url <url>', "the partner's published key set")
    .requiredOption('--allow <cidr>', 'a source address or CIDR block; repeat for more', collect)
    .option('--webhook-url <url>', 'where events are posted')
    .option('--return-scheme <scheme>', "the app's scheme; repeat for more", collect, [])
    .addOption(
      new Option('--env <env>', 'environment').choices(['sandbox', 'prod']).default('sandbox'),
    )
    .option('--json', 'print JSON')
    .action(runCreatePartner);
  return payctl;
}

async function runCreatePartner(options: PartnerOptions & Printing): Promise<void> {
  const config = readOpsConfig(opsEnvironment(processEnvironment()));
  const database = createDatabase({
    url: config.DATABASE_URL,
    poolSize: 1,
    onLostConnection: () => undefined,
  });
  const seal = createSecretSeal(Buffer.from(config.KEY_ENCRYPTION_KEY, 'base64'));
  try {
    const partner = await createPartner({ database, seal, now: new Date(Date.now()) }, options);
    printRecord(partner, options.json === true);
  } finally {
    await database.close();
  }
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

async function main(): Promise<number> {
  try {
    await createPayctl().parseAsync();
    return 0;
  } catch (error) {
    return explain(error);
  }
}

/** Usage errors were printed by commander already. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  const isExpected = error instanceof Refusal || error instanceof ConfigError;
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`payctl: ${isExpected ? text : `it failed: ${text}`}\n`);
  return error instanceof ConfigError ? EXIT_USAGE : EXIT_REFUSED;
}

if (require.main === module) {
  void main().then((code) => {
    process.exitCode = code;
  });
}
