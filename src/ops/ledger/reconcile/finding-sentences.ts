// For each kind of difference: a sentence for people, and the command to type next. No such command
// can pay anything.
import type { AttentionKind } from '../../../domain/intents/attention';
import { formatLocal, formatUsd, type LocalAmount } from '../../../domain/money';
import type { FindingKind } from '../../../domain/reconciliation';
import type { Attention, FindingRow } from '../../../postgres/reports/findings';
import { toTheSecond } from '../../layout';

type Difference = Parameters<Attention>[0];

const FOUND = 'The provider’s statement';

const SENTENCES: Readonly<Record<FindingKind, (found: Difference) => string>> = {
  paid_not_captured: ({ status, moved_from: at }) =>
    `${FOUND} lists it as paid at ${toTheSecond(at)}, and here it is ${status ?? 'unknown'}.`,
  captured_not_paid: ({ status }) =>
    `${FOUND} does not list its payout, and here it is ${status ?? 'unknown'}.`,
  amount_differs: ({ stated_usd_cents: cents, stated_local: local, stated_cost: cost, ...our }) =>
    `${FOUND} lists it as ${amounts(cents, local, cost)}, and ${amounts(our.amount_usd_cents, our.ordered_local, our.cost)} were ordered.`,
  corridor_differs: ({ stated_corridor: stated, corridor: ours }) =>
    `${FOUND} lists it as ${stated ?? ''}, and it was ordered as ${ours ?? ''}.`,
  corridor_missing: ({ stated_corridor: missing, times, moved_from: at }) =>
    `${FOUND} has no line of ${missing ?? ''}, and here payments of it were captured (${String(times)} since ${toTheSecond(at)}).`,
  paid_twice: ({ times }) => `${FOUND} lists its payout ${String(times)} times.`,
  returned: ({ status }) =>
    `${FOUND} lists its payout as returned, and here it is ${status ?? 'unknown'}.`,
  key_unknown: ({ moved_from: at }) =>
    `${FOUND} lists it at ${toTheSecond(at)}, and no payment of ours has this key.`,
};

const amounts = (cents: number | null, local: LocalAmount | null, cost: string | null) =>
  [local && formatLocal(local), cents && formatUsd(cents), cost && `cost ${cost}`]
    .filter((known) => known !== null)
    .join(', ');

export function attentionFor(found: Difference): string {
  return SENTENCES[found.kind](found);
}

/** The command to type next; null if only the provider can explain the key. */
export function nextCommand(finding: FindingRow): string | null {
  const { kind, intent_id: intentId, payout_key: key } = finding;
  if (kind === 'key_unknown') {
    const [named = ''] = key.split(':');
    return IS_PAYOUT_KEY.test(key) ? `temporal workflow describe --workflow-id ${named}` : null;
  }
  if (kind === 'corridor_missing') {
    return `payctl reconcile --corridor ${finding.stated_corridor ?? ''} --statement FILE`;
  }
  return intentId === null ? null : commandFor(intentId, finding);
}

function commandFor(intentId: string, finding: FindingRow): string {
  const { kind, status, line } = finding;
  if (kind === 'returned' && status === 'captured') return `payctl intents refund ${intentId}`;
  if (!canBeResolvedAsPaid(finding)) return `payctl intents show ${intentId}`;
  return `payctl intents resolve ${intentId} --outcome paid --evidence "provider's statement, line ${String(line)}"`;
}

/** Only a workflow raises these, and it waits for a decision. */
const UNDECIDED: ReadonlySet<AttentionKind> = new Set([
  'payout_unknown',
  'payout_pending',
  'payout_differs',
]);

const IS_PAYOUT_KEY = /^pi_[0-9a-z]{26}:payout$/;

/**
 * Whether the workflow waits for a decision and the statement matches the order. A workflow that
 * has raised no attention itself would reject the resolution, and docs/restore.md says what to do
 * about a completed workflow.
 */
function canBeResolvedAsPaid(finding: FindingRow): boolean {
  const { kind, status, kinds } = finding;
  if (kind !== 'paid_not_captured' || status !== 'authorized') return false;
  const isUndecided = kinds.some((raised) => UNDECIDED.has(raised));
  const isOnceAsOrdered = isAsOrdered(finding) && finding.times === 1;
  return isUndecided && !kinds.includes('workflow_gone') && isOnceAsOrdered;
}

function isAsOrdered(finding: FindingRow): boolean {
  const isCompared = finding.stated_usd_cents !== null || finding.ordered_local !== null;
  const isSameAmount = isCompared && !finding.is_amount_other;
  return isSameAmount && finding.stated_corridor === finding.corridor;
}
