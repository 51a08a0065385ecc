// Compares the findings of `payctl reconcile` with the harness's own comparison of rows and
// provider journal.
import type { Evidence, IntentFacts } from '../report/evidence';
import { problems, grouped, checkEach, type Finding } from '../report/finding';
import type { JournalEntry } from '../sources/journal';

/** src/sandbox/scenarios.ts: it is executed, and the payee's bank returns it 3 s later. */
export const RETURNED_USD_CENTS = 40_010;
/** A refund or the release of the debit books what came back. */
const RETURN_UNBOOKED: readonly string[] = ['created', 'authorized', 'captured'];

export function checkReconciliation(evidence: Evidence): readonly Finding[] {
  const { rows, journal, reconciliation } = evidence;
  const executions = grouped(journal, ({ key }) => key);
  const found = grouped(reconciliation.found, (finding) => finding.split(' ').slice(1).join(' '));
  const captured = [...rows.values()].filter(isCaptured).map(({ intentId }) => keyOf(intentId));
  const keys = new Set([...executions.keys(), ...found.keys(), ...captured]);
  const byKey = new Map([...rows.values()].map((row) => [keyOf(row.intentId), row]));
  return [
    checkEach('payctl reconcile finds every difference and invents none', keys, (key) => {
      const expected = differencesOf(byKey.get(key), executions.get(key) ?? []);
      const reported = (found.get(key) ?? [])
        .map((finding) => finding.split(' ')[0] ?? '')
        .filter((kind) => kind !== 'paid_not_captured' || !isUnderWay(byKey.get(key)));
      return [
        ...expected
          .filter((kind) => !reported.includes(kind))
          .map((kind) => `missed: ${kind} ${key}`),
        ...reported
          .filter((kind) => !expected.includes(kind))
          .map((kind) => `invented: ${kind} ${key}`),
      ];
    }),
    checkEach('payctl reconcile exits 3 with findings and 0 without', [reconciliation], (one) =>
      problems([
        one.exitCode !== (one.found.length > 0 ? 3 : 0),
        `it exited ${String(one.exitCode)} with ${one.found.length} findings: ${one.lastWords}`,
      ]),
    ),
  ];
}

function keyOf(intentId: string): string {
  return `${intentId}:payout`;
}

function isCaptured({ status }: IntentFacts): boolean {
  return status === 'captured' || status === 'refunded';
}

/**
 * A payment under way may be captured between the read of the rows and the reconciliation, so both
 * results are right.
 */
function isUnderWay(row: IntentFacts | undefined): boolean {
  return row?.status === 'authorized' && row.attention === null;
}

function differencesOf(
  row: IntentFacts | undefined,
  executions: readonly JournalEntry[],
): readonly string[] {
  const isThere = executions.length > 0;
  if (row === undefined) return isThere ? ['key_unknown', ...twice(executions)] : [];
  if (!isThere) return isCaptured(row) ? ['captured_not_paid'] : [];
  const isReturned = row.cents === RETURNED_USD_CENTS;
  return [
    ...problems(
      [isReturned && RETURN_UNBOOKED.includes(row.status), 'returned'],
      [!isReturned && !isCaptured(row) && !isUnderWay(row), 'paid_not_captured'],
    ),
    ...problems(
      [executions.some((one) => one.amount_usd_cents !== row.cents), 'amount_differs'],
      [executions.some(({ corridor }) => corridor !== row.corridor), 'corridor_differs'],
    ),
    ...twice(executions),
  ];
}

function twice(executions: readonly JournalEntry[]): readonly string[] {
  return executions.length > 1 ? ['paid_twice'] : [];
}
