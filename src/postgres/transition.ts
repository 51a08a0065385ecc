// Changes a status: compare and set by one statement (transition-statement.ts), and what it means when it moves nothing
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
import { HOLDING_SLOTS } from './holding';
import { oweComparison } from './payout-comparisons';
import { reportStanding } from './standing';
import { MOVE } from './transition-statement';

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
  const step = { target, eventId };
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
  readonly target: IntentStatus;
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

function tokenValues(token: TokenUse | undefined): readonly unknown[] {
  if (token === undefined) return [null, null, null];
  return [token.partnerId, token.jtiHash, new Date(token.expiresAtMs)];
}

function termValues(terms: PaymentTerms | undefined): readonly unknown[] {
  if (terms === undefined) return [null, null, null];
  return [terms.amountUsdCents, terms.corridor, new Date(terms.createdAtMs)];
}

async function move(
  database: Queryable,
  command: TransitionCommand,
  { target, eventId }: Step,
): Promise<MovedRow | undefined> {
  const { rows } = await database.query<MovedRow>({
    name: 'transition',
    text: MOVE,
    values: [
      command.intentId,
      command.from,
      target,
      command.actor,
      command.reason ?? null,
      ...tokenValues(command.token),
      eventId,
      Math.floor(Math.random() * HOLDING_SLOTS),
      command.requestId ?? null,
      command.payoutAttempts ?? null,
      command.debitUsdCents ?? null,
      ...termValues(command.terms),
      command.isKnownUnpaid ?? false,
    ],
  });
  return rows[0];
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
