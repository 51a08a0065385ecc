// Changes a status: compare and set by one statement (transition-statements.ts), and what it means when it moves nothing
// (architecture, section 3, rule R1).
import { parseEventId } from '../domain/ids';
import { nextStatus, parseIntentStatus } from '../domain/intent-transitions';
import type { IntentStatus } from '../domain/payment-intent';
import type {
  PaymentTerms,
  TokenUse,
  TransitionCommand,
  TransitionReport,
} from '../domain/transition';
import { violatedConstraint, type Database, type Queryable } from './database';
import { oweComparison } from './payout-comparisons';
import { reportStanding } from './standing';
import { valuesOf } from './named-parameters';
import { TRANSITION_STATEMENTS } from './transition-statements';

interface StatusRow {
  readonly status: string;
  readonly event_id: string | null;
}

interface MovedRow extends StatusRow {
  readonly is_debited: boolean;
}

export async function transitionIntent(
  database: Database,
  command: TransitionCommand,
  eventId: string,
): Promise<TransitionReport> {
  const target = nextStatus(command.from, command.event);
  if (target === undefined) throw new Error(`no edge ${command.event} from ${command.from}`);
  const step = { eventId };
  try {
    const moved = takesTransaction(command, target)
      ? await database.inTransaction((connection) => moveLocked(connection, command, step))
      : await move(database, command, step);
    if (moved === undefined) return await reportStanding(database, command, target);
    const status = parseIntentStatus(moved.status);
    const outcome = status === target ? 'did' : 'other';
    return {
      ...{ outcome, status, dueInMs: 0, eventId: parseEventId(moved.event_id) },
      ...(moved.is_debited && { isDebited: true }),
    };
  } catch (error) {
    if (violatedConstraint(error) !== 'used_tokens_pkey') throw error;
    return reportSpentToken(database, command, target);
  }
}

interface Step {
  readonly eventId: string;
}

function takesTransaction({ from, declared }: TransitionCommand, target: IntentStatus): boolean {
  return declared !== undefined || (from === 'authorized' && target !== 'captured');
}

/**
 * An authorized payment that ends without a payout gives back what was debited. A debit or a payout attempt that is
 * committing at this moment holds the row's share lock; the update alone would wait for it and still judge by a snapshot
 * from before. So the lock is waited for first, and the statement after it sees what was committed meanwhile. An end on
 * somebody's word is owed a comparison with the provider from the same commit on.
 */
async function moveLocked(
  connection: Queryable,
  command: TransitionCommand,
  step: Step,
): Promise<MovedRow | undefined> {
  await connection.query({
    name: 'lock-intent',
    text: 'select from payment_intents where intent_id = $1 for no key update',
    values: [command.intentId],
  });
  const moved = await move(connection, command, step);
  if (moved !== undefined) await oweComparison(connection, command);
  return moved;
}

async function move(
  database: Queryable,
  command: TransitionCommand,
  { eventId }: Step,
): Promise<MovedRow | undefined> {
  const edge = `${command.from} ${command.event}`;
  const statement = TRANSITION_STATEMENTS[edge];
  if (statement === undefined)
    throw new Error(`no statement for ${command.event} from ${command.from}`);
  const { rows } = await database.query<MovedRow>({
    name: `transition: ${edge}`,
    text: statement.text,
    values: [...valuesOf(statement, parametersOf(command, eventId))],
  });
  return rows[0];
}

/** Null where the command says nothing. */
function parametersOf({ token, terms, ...command }: TransitionCommand, eventId: string) {
  const { reason = null, requestId = null, debitUsdCents = null } = command;
  const { payoutAttempts = null, isKnownUnpaid = false } = command;
  return {
    ...{ intent_id: command.intentId, actor: command.actor, reason, request_id: requestId },
    ...{ event_id: eventId, debit_usd_cents: debitUsdCents, payout_attempts: payoutAttempts },
    is_known_unpaid: isKnownUnpaid,
    ...termsOf(terms),
    ...tokenOf(token),
  };
}

function termsOf(terms: PaymentTerms | undefined) {
  if (terms === undefined) return { amount_usd_cents: null, corridor: null, created_at: null };
  const { amountUsdCents, corridor, createdAtMs } = terms;
  return { amount_usd_cents: amountUsdCents, corridor, created_at: new Date(createdAtMs) };
}

function tokenOf(token: TokenUse | undefined) {
  if (token === undefined)
    return { token_partner_id: null, token_hash: null, token_expires_at: null };
  const { partnerId, jtiHash, expiresAtMs } = token;
  return {
    ...{ token_partner_id: partnerId, token_hash: jtiHash },
    token_expires_at: new Date(expiresAtMs),
  };
}

/** The `jti` is in use already: by this intent (a repeat of this very call), or elsewhere, and then nothing moved. */
async function reportSpentToken(
  database: Queryable,
  command: TransitionCommand,
  target: IntentStatus,
): Promise<TransitionReport> {
  const { rows } = await database.query({
    name: 'token-of-intent',
    text: `select from used_tokens where partner_id = $1 and jti_hash = decode($2, 'hex') and intent_id = $3`,
    values: [command.token?.partnerId, command.token?.jtiHash, command.intentId],
  });
  const standing = await reportStanding(database, command, target);
  const isOwn = rows.length === 1 && standing.status !== command.from;
  return isOwn ? standing : { ...standing, outcome: 'token_refused' };
}
