// `payctl <noun> <verb>`: tables for people, `--json` for programs; exits 0, 1 (refused), 2 (usage) or 3
// (reconcile: the books differ) (docs/operations.md).
import { Command, CommanderError, Help, type Option } from 'commander';
import { ConfigError } from '../config';
import { DomainError } from '../domain/errors';
import { addAccountsCommands } from './ledger/accounts-commands';
import { addIntentsCommands } from './intents/commands';
import { addKeysCommands } from './keys/commands';
import { addLedgerCommands } from './ledger/commands';
import { addPartnersCommands } from './partners/commands';
import { addPayoutsCommands } from './payouts/commands';
import { tell } from './print';
import { addReconcileCommand } from './ledger/reconcile/command';
import { BadOption, DifferencesFound, Rejection } from './rejection';
import { addRequestsCommands } from './requests/commands';
import { addSignCommand } from './requests/sign';
import { addWebhooksCommands } from './webhooks/commands';

const EXIT_REJECTED = 1;
const EXIT_USAGE = 2;
const EXIT_DIFFERENCES = 3;

/** In the order of the help. */
const COMMANDS = [
  addPartnersCommands,
  addKeysCommands,
  addIntentsCommands,
  addAccountsCommands,
  addPayoutsCommands,
  addLedgerCommands,
  addReconcileCommand,
  addWebhooksCommands,
  addRequestsCommands,
  addSignCommand,
];

export function createPayctl(): Command {
  const payctl = new Command('payctl')
    .description(
      'Operations of the payment engine. Without DATABASE_URL it works on the running sandbox.',
    )
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
    .configureOutput({
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'payctl: '));
      },
    })
    .addHelpText(
      'afterAll',
      '\nExit codes: 0 done, 1 refused or failed, 2 wrong usage or settings.',
    );
  for (const add of COMMANDS) add(payctl);
  return payctl;
}

function describeOption(option: Option): string {
  const description = new Help().optionDescription(option);
  return option.mandatory && option.defaultValue === undefined
    ? `${description} (required)`
    : description;
}

/** @returns the exit code */
export async function payctl(args: readonly string[]): Promise<number> {
  try {
    await createPayctl().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    return explain(error);
  }
}

/** Usage errors were printed by commander already. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  tell(sentenceOf(error));
  if (error instanceof DifferencesFound) return EXIT_DIFFERENCES;
  const isUsage = error instanceof ConfigError || error instanceof BadOption;
  return isUsage ? EXIT_USAGE : EXIT_REJECTED;
}

function sentenceOf(error: unknown): string {
  if (error instanceof Rejection || error instanceof ConfigError) return error.message;
  if (error instanceof DomainError && error.code === 'unavailable') {
    return 'Postgres cannot be reached, or was too busy to answer. Look at what is there before you repeat a change.';
  }
  return `it failed: ${error instanceof Error ? error.message : String(error)}`;
}

if (require.main === module) {
  void payctl(process.argv.slice(2)).then((code) => {
    process.exitCode = code;
  });
}
