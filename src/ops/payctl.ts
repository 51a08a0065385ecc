// The operators' program: `payctl <noun> <verb>` prints tables for people, and JSON with `--json`.
// It exits 0 (done), 1 (rejected or failed), 2 (wrong usage or settings), 3 (`reconcile`: the books
// differ) or 4 (asked for: it waits for an approval).
import { Command, CommanderError, Help, type Option } from 'commander';
import { ConfigError } from '../config/config';
import { DomainError } from '../domain/errors';
import { ApprovalRequired, Refused } from '../postgres/approvals/decide';
import { askForApproval } from './approvals/ask';
import { approveBy, reject } from './approvals/decide';
import { list, show } from './approvals/read';
import { COMMANDS } from './commands';
import { printNotice } from './print';
import { BadOption, DifferencesFound, Rejection } from './rejection';
import { noun } from './verb';

const EXIT_REJECTED = 1;
const EXIT_USAGE = 2;
const EXIT_DIFFERENCES = 3;
const EXIT_ASKED = 4;

export function createPayctl(): Command {
  const payctl = new Command('payctl')
    .description(
      'Operate the payment engine. Without DATABASE_URL, payctl works on the running local sandbox.',
    )
    .exitOverride()
    .enablePositionalOptions()
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'payctl: '));
      },
    })
    .addHelpText(
      'afterAll',
      '\nExit codes: 0 done, 1 rejected or failed, 2 wrong usage or settings,\n4 waits for an approval.',
    );
  for (const add of COMMANDS) add(payctl);
  noun('approvals', 'See, approve and reject what needs two people.', [
    ...[list, show, reject],
    approveBy((args) => createPayctl().parseAsync(args, { from: 'user' })),
  ])(payctl);
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
    if (!(error instanceof ApprovalRequired)) return printFailure(error);
    return askForApproval(error, args).then(() => EXIT_ASKED, printFailure);
  }
}

/** Commander has already printed its own usage errors. */
function printFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  printNotice(sentenceOf(error));
  if (error instanceof DifferencesFound) return EXIT_DIFFERENCES;
  const isUsage = error instanceof ConfigError || error instanceof BadOption;
  return isUsage ? EXIT_USAGE : EXIT_REJECTED;
}

function sentenceOf(error: unknown): string {
  if (error instanceof Rejection || error instanceof ConfigError || error instanceof Refused) {
    return error.message;
  }
  if (error instanceof DomainError && error.code === 'unavailable') {
    return 'Postgres cannot be reached, or did not answer in time. Before you repeat a change, check whether it was made.';
  }
  return `The command failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** The reader of a pipe has gone, as `head` does: the command is carried out all the same. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

if (require.main === module) {
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreClosed);
  void payctl(process.argv.slice(2)).then((code) => {
    process.exitCode = code;
  });
}
