// `payctl approvals list` and `show`: what waits for an approval, and what it would do.
import { listApprovals, type Approval } from '../../postgres/approvals/approvals';
import type { Queryable } from '../../postgres/database';
import { command, printable, recordLines, section, sentenceLines, tableOr } from '../layout';
import { Rejection } from '../rejection';
import { option, verb } from '../verb';

export const list = verb('list', {
  does: 'List what waits for an approval, or was approved and is not carried out yet; newest first.',
  options: [option('--all', 'those that are over too; at most 100')],
  work:
    ({ all: isAll = false }: { readonly all?: boolean }) =>
    ({ database }) =>
      listApprovals(database, { isAll }),
  lines: (approvals) =>
    tableOr(
      approvals.map(({ id, state, asked_by, verb: asked }) => ({
        id,
        state,
        asked_by,
        verb: asked,
      })),
      'Nothing waits for an approval.',
    ),
});

export const show = verb('show <approval>', {
  does: 'Show what an approval permits: the arguments, what they act on, and who asked.',
  work:
    (id: string) =>
    ({ database }) =>
      findApproval(database, id),
  lines: approvalLines,
});

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @throws Rejection if there is none */
export async function findApproval(database: Queryable, id: string): Promise<Approval> {
  const [approval] = UUID.test(id) ? await listApprovals(database, { isAll: true, id }) : [];
  if (approval === undefined) throw new Rejection(`There is no approval ${id}.`);
  return approval;
}

export function approvalLines(approval: Approval): readonly string[] {
  const { given, acts_on, command: words, ...others } = approval;
  return [
    ...recordLines(others),
    ...section('It permits', recordLines(given)),
    ...section('What that acts on, as it was when it was asked for', recordLines(acts_on)),
    ...sentenceLines(['The command:', command(`payctl ${words.map(quoted).join(' ')}`)]),
  ].map(printable);
}

/** As a shell reads one argument. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
