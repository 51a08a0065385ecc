// Asks for an approval of a command that needs two people, and prints what was asked (decision
// 159).
import { ask, type Approval } from '../../postgres/approvals/approvals';
import type { ApprovalRequired } from '../../postgres/approvals/decide';
import { command, recordAndSentences } from '../layout';
import { printStory } from '../print';
import { inSession } from '../session';

/** Work of another login, which repeats the command once it is approved. */
export const REPEATED_BY: Readonly<Record<string, string>> = {
  'keys reseal': 'the owner of the database',
  'partners erase-user': 'the owner of the database',
  'data prune': 'the owner of the database',
  reconcile: 'the service, without --ask',
};

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

/** The command of such work is not stored: it may name a payer. */
function storedCommand(verb: string, args: readonly string[]): readonly string[] {
  return verb in REPEATED_BY ? verb.split(' ') : args;
}

function askedLines({ id, verb, expires_at }: Approval, secrets: object): readonly string[] {
  const isSecret = Object.keys(secrets).length > 0;
  return recordAndSentences({ approval: id, verb, expires_at, ...secrets }, [
    'Nothing was changed: another operator approves it.',
    command(`payctl approvals approve ${id}`),
    ...(isSecret ? ['Each secret is shown only here, and becomes valid with the approval.'] : []),
  ]);
}
