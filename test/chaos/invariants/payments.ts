// What one intent looks like to the checkers: everything that any source says about it, together.
import type { Evidence, IntentFacts, Received, RunFacts, TransferFacts } from '../report/evidence';
import { grouped } from '../report/finding';
import type { JournalEntry } from '../sources/journal';

export interface Payment extends IntentFacts {
  readonly debits: readonly TransferFacts[];
  readonly captures: readonly TransferFacts[];
  readonly releases: readonly TransferFacts[];
  readonly refunds: readonly TransferFacts[];
  /** What the provider executed. */
  readonly executions: readonly JournalEntry[];
  readonly received: readonly Received[];
  /** Of the payment itself, not of its refund or of a webhook that was sent by itself. */
  readonly runs: readonly RunFacts[];
}

export function paymentsIn({ rows, journal, inbox, runs }: Evidence): readonly Payment[] {
  const executions = grouped(journal, ({ key }) => intentOf(key));
  const received = grouped(inbox, ({ event }) => event?.intentId);
  const runsOf = grouped(runs, ({ workflowId }) => workflowId);
  return [...rows.values()].map((row) => ({
    ...row,
    debits: row.transfers.filter(({ to }) => to === 'held'),
    captures: row.transfers.filter(({ to }) => to.startsWith('settlement:')),
    releases: row.transfers.filter(({ from, to }) => from === 'held' && to === 'holding'),
    refunds: row.transfers.filter(({ from }) => from.startsWith('owed:')),
    executions: executions.get(row.intentId) ?? [],
    received: received.get(row.intentId) ?? [],
    runs: runsOf.get(row.intentId) ?? [],
  }));
}

/** Of a key such as `pi_…:payout`. */
export function intentOf(key: string): string {
  return key.split(':', 1)[0] ?? '';
}

export function hasEnded({ status }: Pick<IntentFacts, 'status'>): boolean {
  return status !== 'created' && status !== 'authorized';
}
