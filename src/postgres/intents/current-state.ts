// The current state of a row, and why a transition did not change it (architecture, section 3,
// rule R1).
import { RowMissing } from '../../domain/errors';
import type { IntentId } from '../../domain/ids';
import type { IntentStatus } from '../../domain/intents/payment-intent';
import type {
  IntentCurrentState,
  PaymentTerms,
  TransitionCommand,
  TransitionReport,
} from '../../domain/intents/transition';
import { readRows, type Queryable } from '../database';
import { IS_RESTORE_STOP_IN_FORCE, MAY_HAVE_LOST_COMMITS } from '../payouts/stops';

interface CurrentStateRow extends IntentCurrentState, PaymentTerms {
  readonly dueInMs: number;
  readonly isStopped: boolean;
  readonly mustQueryProvider: boolean;
}

/** @throws RowMissing */
export async function readCurrentState(
  database: Queryable,
  intentId: IntentId,
): Promise<IntentCurrentState> {
  const { status, eventId } = await readRow(database, intentId);
  return { status, eventId };
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
                  ${IS_RESTORE_STOP_IN_FORCE} as "isStopped",
                  ${MAY_HAVE_LOST_COMMITS} as "mustQueryProvider"
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
  if (row.status !== 'created') return whyNotCancelled(row, command, target) ?? 'other';
  // Before the deadline, only the token's own expiry can have prevented an authorize.
  const endsUnpaid = row.dueInMs <= 0 || target === 'cancelled';
  const why = endsUnpaid ? whyBlocked(row, command) : undefined;
  return why ?? UNCHANGED[target] ?? 'other';
}

/**
 * An authorized payment is not cancelled during a stop for a restore, nor before the provider was
 * queried.
 */
function whyNotCancelled(row: CurrentStateRow, command: TransitionCommand, target: IntentStatus) {
  if (target !== 'cancelled') return undefined;
  if (row.status === 'authorized') return whyBlocked(row, command);
  return row.isStopped ? 'stopped' : undefined;
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
  { isStopped, mustQueryProvider }: CurrentStateRow,
  { isKnownUnpaid = !mustQueryProvider }: TransitionCommand,
): 'stopped' | 'not_queried' | undefined {
  if (isStopped) return 'stopped';
  return isKnownUnpaid ? undefined : 'not_queried';
}
