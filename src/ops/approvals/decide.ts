// `payctl approvals approve` and `reject`: approving carries the command out, waits for its effect
// and prints what the command prints.
import type { Command } from 'commander';
import { approve as approveRow, reject as rejectRow } from '../../postgres/approvals/approvals';
import { ApprovalRequired, ApprovalVoid } from '../../postgres/approvals/decide';
import type { Queryable } from '../../postgres/database';
import { REASON, REASON_REQUIRED, checkReason, type ReasonedOptions } from '../operator';
import { printNotice } from '../print';
import { BadOption, Rejection } from '../rejection';
import { inSession } from '../session';
import { option, verb } from '../verb';
import { REPEATED_BY } from './ask';
import { approvalLines, findApproval } from './read';

interface ApproveOptions {
  readonly alone?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

type Run = (args: readonly string[]) => Promise<unknown>;

/** @param run carries a command of `payctl` out */
export const approveBy = (run: Run) => (approvals: Command) => {
  approvals
    .command('approve')
    .description('Approve what another operator has asked for, and carry it out.')
    .argument('<approval>', 'the id, as "payctl approvals list" shows it')
    .addOption(
      option(
        '--alone',
        'without a second person, in an emergency: it raises an alarm at once, and needs --reason and break_glass',
      ),
    )
    .addOption(REASON)
    .option('--json', 'print JSON')
    .action((id: string, options: ApproveOptions) => approve(id, options, run));
};

async function approve(id: string, options: ApproveOptions, run: Run): Promise<void> {
  const { alone: isAlone = false, json: isJson = false } = options;
  const reason = reasonOf(options);
  const { verb: approved, command } = await inSession(async ({ database }) => {
    await findApproval(database, id);
    return approveRow(database, id, { isAlone, reason });
  });
  const login = REPEATED_BY[approved];
  if (login !== undefined) {
    printNotice(`Approved. "payctl ${approved}" needs the login of ${login}: repeat it there.`);
    return;
  }
  const isPrinted = isJson && !command.includes('--json');
  await run(isPrinted ? [...command, '--json'] : command).catch(async (error: unknown) => {
    if (!(error instanceof ApprovalVoid || error instanceof ApprovalRequired)) throw error;
    await inSession(({ database }) => rejectRow(database, id, VOID));
    throw new Rejection(`Nothing was changed: ${VOID}. Ask for it again.`);
  });
  await inSession(({ database }) => rejectUnspent(database, id));
}

/** @throws BadOption */
function reasonOf({ alone, reason }: ApproveOptions): string | undefined {
  if (reason !== undefined) return checkReason('--reason', reason);
  if (alone === true) throw new BadOption('--alone needs --reason.');
  return undefined;
}

const VOID = 'what it acts on, or an argument, is no longer as it was asked for';
const UNUSED = 'its command has carried out nothing of it';

/** What was typed may be another thing than what was asked for. @throws Rejection if it was */
async function rejectUnspent(database: Queryable, id: string): Promise<void> {
  if ((await findApproval(database, id)).state !== 'approved') return;
  await rejectRow(database, id, UNUSED);
  throw new Rejection(`The approval is void: ${UNUSED}. See "payctl approvals show ${id}".`);
}

export const reject = verb('reject <approval>', {
  does: 'Reject what was asked for. The login that asked can withdraw it.',
  options: [REASON_REQUIRED],
  work(id: string, options: ReasonedOptions) {
    const reason = checkReason('--reason', options.reason);
    return async ({ database }) => {
      await findApproval(database, id);
      return rejectRow(database, id, reason);
    };
  },
  lines: approvalLines,
});
