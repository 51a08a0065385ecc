// Asks for an approval of a command that needs two people, and prints what was asked (decision
// 159).
import { ask, type Approval } from '../../postgres/approvals/approvals';
import type { ApprovalRequired } from '../../postgres/approvals/decide';
import { command, recordAndSentences } from '../layout';
import { printStory } from '../print';
import { inSession } from '../session';

/**
 * Work that only the owner of the database can do: approving it executes nothing, and its owner
 * repeats the command.
 */
export const OWNERS_WORK: readonly string[] = ['keys reseal', 'partners erase-user', 'data prune'];

/** @param args of the command */
export async function askForApproval(
  { decision }: ApprovalRequired,
  args: readonly string[],
): Promise<void> {
  const approval = await inSession(({ database }) =>
    ask(database, decision, storedCommand(decision.verb, args)),
  );
  const { id, verb, expires_at } = approval;
  const secrets = decision.secrets ?? {};
  printStory({ approval: { id, verb, expires_at }, ...secrets }, args.includes('--json'), () =>
    askedLines(approval, secrets),
  );
}

/** The command of an owner's work is not stored: it may name a payer. */
function storedCommand(verb: string, args: readonly string[]): readonly string[] {
  return OWNERS_WORK.includes(verb) ? verb.split(' ') : args.filter((arg) => arg !== '--json');
}

function askedLines({ id, verb, expires_at }: Approval, secrets: object): readonly string[] {
  const isSecret = Object.keys(secrets).length > 0;
  return recordAndSentences({ approval: id, verb, expires_at, ...secrets }, [
    'Nothing was changed: another operator approves it.',
    command(`payctl approvals approve ${id}`),
    ...(isSecret ? ['Each secret is shown only here, and becomes valid with the approval.'] : []),
  ]);
}
