// What people are told of each kind of difference, and the command to type next: none of them can pay anything.
import { WORKFLOW_HAS_COMPLETED } from '../../../domain/intents/completed-workflow';
import { formatUsd } from '../../../domain/money';
import type { FindingKind } from '../../../domain/reconciliation';
import type { Attention, FindingRow } from '../../../postgres/reports/findings';
import { toTheSecond } from '../../layout';

/** How the attention of a payment begins that had none before. */
const STATEMENT = 'The provider’s statement';

type Difference = Parameters<Attention>[0];

const SENTENCES: Readonly<Record<FindingKind, (found: Difference) => string>> = {
  paid_not_captured: ({ status, moved_from: at }) =>
    `${STATEMENT} has it as paid at ${toTheSecond(at)}, and here it is ${status ?? 'unknown'}.`,
  captured_not_paid: ({ status }) =>
    `${STATEMENT} does not have its payout, and here it is ${status ?? 'unknown'}.`,
  amount_differs: ({ stated_usd_cents: stated, amount_usd_cents: ours }) =>
    `${STATEMENT} has it as ${formatUsd(stated ?? 0)}, and ${formatUsd(ours ?? 0)} were ordered.`,
  corridor_differs: ({ stated_corridor: stated, corridor: ours }) =>
    `${STATEMENT} has it as ${stated ?? ''}, and it was ordered as ${ours ?? ''}.`,
  paid_twice: ({ times }) => `${STATEMENT} has its payout ${String(times)} times.`,
  key_unknown: ({ moved_from: at }) =>
    `${STATEMENT} has it as paid at ${toTheSecond(at)}, and no payment of ours has this key.`,
};

export function attentionFor(found: Difference): string {
  return SENTENCES[found.kind](found);
}

/** What to type next; null where only the provider can say what it is. */
export function nextCommand(finding: FindingRow): string | null {
  const { kind, intent_id: intentId, payout_key: key, line } = finding;
  if (kind === 'key_unknown') {
    const [named = ''] = key.split(':');
    return IS_PAYOUT_KEY.test(key) ? `temporal workflow describe --workflow-id ${named}` : null;
  }
  if (intentId === null) return null;
  if (!canBeDeclaredPaid(finding)) return `payctl intents show ${intentId}`;
  return `payctl intents resolve ${intentId} --outcome paid --evidence "provider's statement, line ${String(line)}"`;
}

const IS_PAYOUT_KEY = /^pi_[0-9a-z]{26}:payout$/;

/**
 * Its workflow waits for people, and the statement says what was ordered. A reason that is ours alone says that the workflow has raised
 * none, and refuses a declaration; one beside a completed workflow is for docs/restore.md.
 */
function canBeDeclaredPaid(finding: FindingRow): boolean {
  const { kind, status, attention_reason: reason } = finding;
  if (kind !== 'paid_not_captured' || status !== 'authorized' || reason === null) return false;
  const isOfWorkflow = !reason.startsWith(STATEMENT) && !reason.startsWith(WORKFLOW_HAS_COMPLETED);
  const isAsOrdered =
    finding.stated_usd_cents === finding.amount_usd_cents &&
    finding.stated_corridor === finding.corridor;
  return isOfWorkflow && isAsOrdered && finding.times === 1;
}
