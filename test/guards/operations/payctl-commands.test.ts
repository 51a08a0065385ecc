// Every payctl command that the pages of operators name is one that payctl takes, with these
// arguments and options. test/journeys/operations-page.test.ts runs those of docs/operations.md.
import { CommanderError, type Command } from 'commander';
import { createPayctl } from '../../../src/ops/payctl';
import { payctlCommandsOf, wordsOf } from '../../support/docs/payctl-commands';

const PAGES = ['operations.md', 'restore.md', 'operations/alarms.yaml', 'scaling.md'];
const COMMANDS = payctlCommandsOf(...PAGES);

/** What a placeholder of the pages stands for, where payctl takes no other text. */
const VALUES: Readonly<Record<string, string>> = {
  C: 'th_qrpay',
  N: '1',
  TIME: '2026-03-02T12:00:00Z',
};

/** Nothing is carried out. */
function silenced(command: Command): Command {
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  for (const each of command.commands) silenced(each);
  return command.commands.length > 0 && command.options.length === 0
    ? command
    : command.action(() => undefined);
}

/** Undefined if payctl takes the command. */
function rejectionOf(words: readonly string[]): string | undefined {
  try {
    silenced(createPayctl()).parse(words, { from: 'user' });
    return undefined;
  } catch (error) {
    return error instanceof CommanderError ? error.code : String(error);
  }
}

/** A command that is named without what it requires. */
const NAME_ALONE = ['commander.missingArgument', 'commander.missingMandatoryOptionValue'];

it.each(COMMANDS)('payctl takes: %s', (text) => {
  const words = wordsOf(text, VALUES);
  const isName = words.every((word) => /^[a-z-]+$/.test(word));
  const allowed = [undefined, ...(isName ? NAME_ALONE : [])];
  expect(allowed).toContain(rejectionOf(words));
});

it('finds the commands of the pages', () => {
  expect(COMMANDS.length).toBeGreaterThan(50);
});
