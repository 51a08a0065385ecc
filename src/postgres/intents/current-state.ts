// The current state of a row, and why a transition did not change it (architecture, section 3,
// rule R1).
import { RowMissing } from '../../domain/errors';
import type { IntentId } from '../../domain/ids';
import type { IntentStatus } from '../../domain/intents/payment-intent';
import type {
  IntentCurrentState,
  PaymentTerms,
  RowState,
  TransitionCommand,
  TransitionReport,
} from '../../domain/intents/transition';
import { readRows, type Queryable } from '../database';
import { IS_RESTORE_STOP_IN_FORCE, MAY_HAVE_LOST_COMMITS } from '../payouts/stops';

interface CurrentStateRow extends IntentCurrentState, PaymentTerms {
  readonly dueInMs: number;
  readonly isDebited: boolean;
  readonly isStopped: boolean;
  readonly mustQueryProvider: boolean;
  readonly unpaidByQuery: string | null;
}

/** @throws RowMissing */
export async function readCurrentState(
  database: Queryable,
  intentId: IntentId,
  terms?: PaymentTerms,
): Promise<RowState> {
  const row = await readRow(database, intentId);
  const { status, eventId, isDebited } = row;
  return { status, eventId, isPayable: status === 'authorized' && isDebited && isSame(row, terms) };
}

/**
 * Reports the current state after the compare and set changed nothing, so that the workflow adopts
 * it (rule R1).
 * @throws RowMissing
 */
export async function reportCurrentState(
  database: Queryable,
  command: TransitionCommand,
  target: IntentStatus,
): Promise<TransitionReport> {
  const row = await readRow(database, command.intentId);
  const { status, eventId, amountUsdCents, corridor, createdAtMs } = row;
  if (!isSame(row, command.terms)) {
    const terms = { amountUsdCents, corridor, createdAtMs };
    return { status, eventId, outcome: 'other_payment', terms, dueInMs: 0 };
  }
  const outcome = outcomeOf(row, command, target);
  const dueInMs = outcome === 'not_due' ? Math.max(1, row.dueInMs) : 0;
  return { status, eventId, outcome, dueInMs };
}

async function readRow(database: Queryable, intentId: IntentId): Promise<CurrentStateRow> {
  const [row] = await readRows<CurrentStateRow>(database, {
    name: 'current-state',
    text: `select i.status, e.event_id as "eventId",
                  i.amount_usd_cents as "amountUsdCents", i.corridor,
                  (extract(epoch from i.created_at) * 1000)::bigint as "createdAtMs",
                  ceil(extract(epoch from i.expires_at - service_now()) * 1000)::bigint
                    as "dueInMs",
                  exists (select from ledger_transfers d
                           where d.transfer_key = i.intent_id || ':debit') as "isDebited",
                  ${IS_RESTORE_STOP_IN_FORCE} as "isStopped",
                  ${MAY_HAVE_LOST_COMMITS} as "mustQueryProvider",
                  i.unpaid_by_query as "unpaidByQuery"
             from payment_intents i
             left join webhook_events e on e.intent_id = i.intent_id
                                       and e.type = 'payment_intent.' || i.status
                                       and e.state <> 'skipped'
            where i.intent_id = $1`,
    values: [intentId],
  });
  if (row === undefined) throw new RowMissing(intentId);
  return row;
}

function isSame(terms: PaymentTerms, expected: PaymentTerms | undefined): boolean {
  return (
    expected === undefined ||
    (terms.amountUsdCents === expected.amountUsdCents &&
      terms.corridor === expected.corridor &&
      terms.createdAtMs === expected.createdAtMs)
  );
}

function outcomeOf(
  row: CurrentStateRow,
  command: TransitionCommand,
  target: IntentStatus,
): TransitionReport['outcome'] {
  if (row.status === target) return 'same';
  if (row.status !== 'created') return whyNotEnded(row, command, target) ?? 'other';
  // Before the deadline, only the token's own expiry can have prevented an authorize.
  const endsUnpaid = row.dueInMs <= 0 || target === 'cancelled';
  const why = endsUnpaid ? whyBlocked(row, command) : undefined;
  return why ?? UNCHANGED[target] ?? 'other';
}

/**
 * An authorized payment is not cancelled during a stop for a restore. Without an answer of the
 * provider in our rows it does not end.
 */
function whyNotEnded(row: CurrentStateRow, command: TransitionCommand, target: IntentStatus) {
  if (row.status === 'authorized') {
    if (target === 'cancelled') return whyBlocked(row, command);
    return target === 'failed' || (target === 'captured' && row.isDebited)
      ? 'not_queried'
      : undefined;
  }
  return target === 'cancelled' && row.isStopped ? 'stopped' : undefined;
}

/**
 * The outcome for an intent that is still `created` although nothing blocks it. An expiry is
 * retried.
 */
const UNCHANGED: Partial<Record<IntentStatus, TransitionReport['outcome']>> = {
  authorized: 'token_rejected',
  expired: 'not_due',
};

function whyBlocked(
  { isStopped, mustQueryProvider, unpaidByQuery }: CurrentStateRow,
  { queryId }: TransitionCommand,
): 'stopped' | 'not_queried' | undefined {
  if (isStopped) return 'stopped';
  const isUnpaid = queryId === undefined ? !mustQueryProvider : queryId === unpaidByQuery;
  return isUnpaid ? undefined : 'not_queried';
}
