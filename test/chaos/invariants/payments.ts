// One intent as the checkers see it: the data of all sources together.
import type {
  Evidence,
  IntentFacts,
  Received,
  WorkflowFacts,
  TransferFacts,
} from '../report/evidence';
import { grouped } from '../report/finding';
import type { JournalEntry } from '../sources/journal';

export interface Payment extends IntentFacts {
  readonly debits: readonly TransferFacts[];
  readonly captures: readonly TransferFacts[];
  readonly releases: readonly TransferFacts[];
  readonly refunds: readonly TransferFacts[];
  /** Payouts that the provider executed. */
  readonly executions: readonly JournalEntry[];
  readonly received: readonly Received[];
  /** Workflows of the payment itself, without those of its refund or of single webhooks. */
  readonly workflows: readonly WorkflowFacts[];
}

export function paymentsIn({ rows, journal, inbox, workflows }: Evidence): readonly Payment[] {
  const executions = grouped(journal, ({ key }) => intentOf(key));
  const received = grouped(inbox, ({ event }) => event?.intentId);
  const workflowsById = grouped(workflows, ({ workflowId }) => workflowId);
  return [...rows.values()].map((row) => ({
    ...row,
    debits: row.transfers.filter(({ to }) => to === 'reserved'),
    captures: row.transfers.filter(({ to }) => to.startsWith('settlement:')),
    releases: row.transfers.filter(({ from, to }) => from === 'reserved' && to === 'holding'),
    refunds: row.transfers.filter(({ from }) => from.startsWith('due:')),
    executions: executions.get(row.intentId) ?? [],
    received: received.get(row.intentId) ?? [],
    workflows: workflowsById.get(row.intentId) ?? [],
  }));
}

/** The intent id in a key such as `pi_…:payout`. */
export function intentOf(key: string): string {
  return key.split(':', 1)[0] ?? '';
}

export function hasEnded({ status }: Pick<IntentFacts, 'status'>): boolean {
  return status !== 'created' && status !== 'authorized';
}
