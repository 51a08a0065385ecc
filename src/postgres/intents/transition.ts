// Status changes: a compare and set by one statement (transition-statements.ts), and the report
// when it changes nothing (architecture, section 3, rule R1).
import { RowMissing } from '../../domain/errors';
import type { IntentId } from '../../domain/ids';
import type { IntentStatus } from '../../domain/intents/payment-intent';
import { nextStatus } from '../../domain/intents/transitions';
import type {
  IntentCurrentState,
  PaymentTerms,
  TokenUse,
  TransitionCommand,
  TransitionReport,
  RowState,
} from '../../domain/intents/transition';
import { isNotPermitted } from '../approvals/decide';
import { readRows, violatedConstraint, type Database, type Queryable } from '../database';
import { scheduleRecheck } from '../payouts/rechecks';
import { IS_RESTORE_STOP_IN_FORCE, MAY_HAVE_LOST_COMMITS } from '../payouts/stops';
import { detailParameters } from '../payouts/details';
import type { ProvenCommand } from './proven-command';
import { TRANSITION_STATEMENTS } from './transition-statements';

type Moved = IntentCurrentState & { readonly isDebited: boolean };

export async function transitionIntent(
  database: Database,
  command: ProvenCommand,
  eventId: string,
): Promise<TransitionReport> {
  const target = nextStatus(command.from, command.event);
  if (target === undefined) throw new Error(`no edge ${command.event} from ${command.from}`);
  try {
    const moved = takesTransaction(command, target)
      ? await database.inTransaction((connection) => moveLocked(connection, command, eventId))
      : await move(database, command, eventId);
    if (moved === undefined) return await reportCurrentState(database, command, target);
    return reportMoved(moved, target);
  } catch (error) {
    // What an operator asks for without a valid approval is answered like what the row forbids.
    if (isNotPermitted(error)) return reportCurrentState(database, command, target);
    if (violatedConstraint(error) !== 'used_tokens_pkey') throw error;
    return reportSpentToken(database, command, target);
  }
}

function reportMoved({ isDebited, ...current }: Moved, target: IntentStatus): TransitionReport {
  const outcome = current.status === target ? 'did' : 'other';
  return { outcome, ...current, dueInMs: 0, ...(isDebited && { isDebited }) };
}

function takesTransaction({ from, resolvedAs }: TransitionCommand, target: IntentStatus): boolean {
  return resolvedAs !== undefined || (from === 'authorized' && target !== 'captured');
}

/**
 * An authorized payment that ends without a payout gives back what was debited. A debit or payout
 * attempt that is committing at this moment holds a share lock on the row. The update alone would
 * wait for it and then still decide by an older snapshot. So the row is locked first, and the next
 * statement sees what was committed meanwhile. A manual resolution schedules its recheck in the
 * same commit.
 */
async function moveLocked(
  connection: Queryable,
  command: ProvenCommand,
  eventId: string,
): Promise<Moved | undefined> {
  await connection.query({
    name: 'lock-intent',
    text: 'select from payment_intents where intent_id = $1 for no key update',
    values: [command.intentId],
  });
  const moved = await move(connection, command, eventId);
  if (moved !== undefined) await scheduleRecheck(connection, command);
  return moved;
}

async function move(
  database: Queryable,
  command: ProvenCommand,
  eventId: string,
): Promise<Moved | undefined> {
  const statement = TRANSITION_STATEMENTS[`${command.from} ${command.event}`];
  if (statement === undefined)
    throw new Error(`no statement for ${command.event} from ${command.from}`);
  const [moved] = await readRows<Moved>(database, statement(parametersOf(command, eventId)));
  return moved;
}

/** A member that the command leaves out becomes null. */
function parametersOf(command: ProvenCommand, eventId: string) {
  const terms: Partial<PaymentTerms> = command.terms ?? {};
  const token: Partial<TokenUse> = command.token ?? {};
  return {
    intent_id: command.intentId,
    actor: command.actor,
    reason: command.reason,
    request_id: command.requestId,
    event_id: eventId,
    debit_usd_cents: command.debitUsdCents,
    maximum_usd_cents: command.maximumUsdCents,
    is_paid: command.isPaid,
    ...detailParameters(command.details),
    query_id: command.queryId,
    amount_usd_cents: terms.amountUsdCents,
    corridor: terms.corridor,
    created_at: dateOf(terms.createdAtMs),
    token_partner_id: token.partnerId,
    token_hash: token.jtiHash,
    token_expires_at: dateOf(token.expiresAtMs),
    token_has_code: token.hasQrPayload,
  };
}

function dateOf(epochMs: number | undefined): Date | undefined {
  return epochMs === undefined ? undefined : new Date(epochMs);
}

/** The `jti` was used before: by an earlier try of this call, or for another intent. */
async function reportSpentToken(
  database: Queryable,
  command: TransitionCommand,
  target: IntentStatus,
): Promise<TransitionReport> {
  const uses = await readRows(database, {
    name: 'token-of-intent',
    text: `select from used_tokens
            where partner_id = $1 and jti_hash = decode($2, 'hex') and intent_id = $3`,
    values: [command.token?.partnerId, command.token?.jtiHash, command.intentId],
  });
  const report = await reportCurrentState(database, command, target);
  const isOwn = uses.length === 1 && report.status !== command.from;
  return isOwn ? report : { ...report, outcome: 'not_allowed' };
}

interface CurrentStateRow extends IntentCurrentState, PaymentTerms {
  readonly dueInMs: number;
  readonly isDebited: boolean;
  readonly isWorkflowGone: boolean;
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
  const { status, eventId, isDebited, isWorkflowGone } = row;
  const isOpen = status === 'authorized' && !isWorkflowGone && isSame(row, terms);
  const [isPayable, isDebitLost] = [isOpen && isDebited, isOpen && !isDebited];
  return { status, eventId, isPayable, isDebitLost, isWorkflowGone };
}

/** What the workflow adopts where nothing changed (rule R1). @throws RowMissing */
async function reportCurrentState(
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
                  i.is_workflow_gone as "isWorkflowGone",
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

/** For an intent that is still `created` although nothing blocks it. An expiry is retried. */
const UNCHANGED: Partial<Record<IntentStatus, TransitionReport['outcome']>> = {
  authorized: 'not_allowed',
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
