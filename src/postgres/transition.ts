// The one statement that changes a status: compare and set, with the audit row, the spent token, the ledger transfer
// and the webhook event in the same commit (architecture, sections 2 and 3, rule R1).
import { parseEventId, type IntentId } from '../domain/ids';
import { nextStatus, parseIntentStatus } from '../domain/intent-transitions';
import type { IntentStatus } from '../domain/payment-intent';
import type {
  IntentStanding,
  TokenUse,
  TransitionCommand,
  TransitionReport,
} from '../domain/transition';
import { violatedConstraint, type Database, type Queryable } from './database';
import { oweComparison } from './payout-comparisons';

/** An authorized intent is looked at by the reconciler when it has not settled by then (architecture, section 3). */
const SETTLEMENT_EXPECTED_WITHIN_SECONDS = 30;
/** The payment's own run delivers its webhook; past this somebody makes sure that one is. */
const DELIVERY_EXPECTED_WITHIN_SECONDS = 60;
const SLOTS = 16;

interface MovedRow {
  readonly status: string;
  readonly event_id: string | null;
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
    return { outcome, status, dueInMs: 0, eventId: parseEventId(moved.event_id) };
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
 * from before. So the lock is waited for first, and the statement after it sees what was committed meanwhile. An end that
 * operations declared is owed a comparison with the provider from the same commit on.
 */
async function moveLocked(
  connection: Queryable,
  command: TransitionCommand,
  step: Step,
): Promise<MovedRow | undefined> {
  await connection.query({
    name: 'lock-intent',
    text: 'select from payment_intents where intent_id = $1 for update',
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
      Math.floor(Math.random() * SLOTS),
      command.requestId ?? null,
      command.payoutAttempts ?? null,
    ],
  });
  return rows[0];
}

/**
 * One clock, read once, decides a deadline in the statement itself: past it, an authorize or cancel of a created intent writes
 * `expired`, and before it an expiry writes nothing (decision 15). Six guards keep money true whatever asks: a token that
 * expired while its confirm waited for a worker authorizes nothing, an authorized intent is not cancelled once its payout
 * was sent, nothing is captured that was not debited, nothing is refunded that was not captured, nothing is
 * declared declined of which an attempt has begun since it was judged, and a release gives back only what was debited. A refund is credited against what the provider owes us (decision 16).
 */
const MOVE = `
  with clock as materialized (
    select service_now() as now
  ),
  moved as (
    update payment_intents as i
       set status = case when i.status = 'created' and i.expires_at <= clock.now then 'expired' else $3 end,
           captured_at = case when $3 = 'captured' then date_trunc('milliseconds', clock.now)
                              else i.captured_at end,
           check_at = case when $3 = 'authorized' and i.expires_at > clock.now
                           then clock.now + interval '${String(SETTLEMENT_EXPECTED_WITHIN_SECONDS)} s' end,
           attention_reason = null,
           attention_since = null
      from clock
     where i.intent_id = $1
       and i.status = $2
       and ($3 <> 'expired' or i.expires_at <= clock.now)
       and not ($2 = 'authorized' and $3 = 'cancelled'
                and exists (select from payouts p where p.intent_id = $1))
       and ($3 <> 'authorized' or $8::timestamptz is null or $8 > clock.now)
       and ($3 <> 'captured'
            or exists (select from ledger_transfers d where d.transfer_key = $1 || ':debit'))
       and ($3 <> 'refunded'
            or exists (select from ledger_transfers c where c.transfer_key = $1 || ':capture'))
       and ($12::int is null
            or exists (select from payouts p where p.intent_id = $1 and p.attempts = $12))
    returning i.*
  ),
  history as (
    insert into intent_transitions (intent_id, from_status, to_status, at, actor, reason, request_id)
    select m.intent_id, $2, m.status, clock.now, case m.status when 'expired' then 'system' else $4 end, $5, $11
      from moved m, clock
  ),
  token as (
    insert into used_tokens (partner_id, jti_hash, intent_id, expires_at)
    select $6, decode($7, 'hex'), m.intent_id, $8 from moved m where m.status = 'authorized' and $7 is not null
  ),
  -- The code that came with the token becomes the payment's (decision 20).
  code as (
    update confirm_payloads p set is_adopted = true
      from moved m where m.status = 'authorized' and p.intent_id = m.intent_id and p.jti_hash = decode($7, 'hex')
  ),
  transfers as (
    insert into ledger_transfers (transfer_key, intent_id, from_account, to_account, amount_usd_cents, created_at, actor)
    select m.intent_id || ':capture', m.intent_id, 'held', 'settlement:' || m.corridor, m.amount_usd_cents, clock.now, $4
      from moved m, clock where m.status = 'captured'
    union all
    select m.intent_id || ':release', m.intent_id, 'held', 'holding', d.amount_usd_cents, clock.now, $4
      from clock, moved m join ledger_transfers d on d.transfer_key = m.intent_id || ':debit'
     where m.status in ('failed', 'cancelled')
    union all
    select m.intent_id || ':refund', m.intent_id, 'owed:' || m.corridor, 'holding', c.amount_usd_cents, clock.now, $4
      from clock, moved m join ledger_transfers c on c.transfer_key = m.intent_id || ':capture'
     where m.status = 'refunded'
    returning to_account, amount_usd_cents
  ),
  slot as (
    update holding_slots s set balance_usd_cents = s.balance_usd_cents + t.amount_usd_cents
      from transfers t where t.to_account = 'holding' and s.slot = $10
  ),
  payout as (
    update payouts p set status = case m.status when 'captured' then 'paid' else 'declined' end, decided_at = clock.now
      from moved m, clock where p.intent_id = m.intent_id and m.status in ('captured', 'failed')
  ),
  event as (
    insert into webhook_events (event_id, intent_id, partner_id, type, body, created_at, state, due_at, check_at)
    select $9, m.intent_id, m.partner_id, 'payment_intent.' || m.status,
           webhook_body(m.*::payment_intents, date_trunc('milliseconds', clock.now)),
           date_trunc('milliseconds', clock.now),
           case when e.disabled_at is null then 'owed' else 'missed' end,
           case when e.disabled_at is null then clock.now end,
           case when e.disabled_at is null
                then clock.now + interval '${String(DELIVERY_EXPECTED_WITHIN_SECONDS)} s' end
      from clock, moved m
      join webhook_endpoints e on e.partner_id = m.partner_id
     where 'payment_intent.' || m.status = any (e.event_types)
    returning event_id, state
  )
  select m.status, (select event_id from event where state = 'owed') as event_id from moved m`;

/** The compare failed: says where the row stands, so that the workflow adopts it (rule R1). */
async function reportStanding(
  database: Queryable,
  { intentId, from }: TransitionCommand,
  target: IntentStatus,
): Promise<TransitionReport> {
  const { dueInMs, ...standing } = await readStanding(database, intentId);
  const isEarly = target === 'expired' && standing.status === from;
  if (isEarly) return { ...standing, outcome: 'not_due', dueInMs: Math.max(1, dueInMs) };
  // Still `created`: only the token's own deadline can have kept it from moving.
  const isRefused = target === 'authorized' && standing.status === from;
  if (isRefused) return { ...standing, outcome: 'token_refused', dueInMs: 0 };
  return { ...standing, outcome: standing.status === target ? 'same' : 'other', dueInMs: 0 };
}

interface StandingRow extends MovedRow {
  readonly due_in_ms: number;
}

export async function readStanding(
  database: Queryable,
  intentId: IntentId,
): Promise<IntentStanding & { readonly dueInMs: number }> {
  const { rows } = await database.query<StandingRow>({
    name: 'standing',
    text: `select i.status, e.event_id,
                  ceil(extract(epoch from i.expires_at - service_now()) * 1000)::bigint as due_in_ms
             from payment_intents i
             left join webhook_events e on e.intent_id = i.intent_id and e.type = 'payment_intent.' || i.status
                                        and e.state <> 'missed'
            where i.intent_id = $1`,
    values: [intentId],
  });
  const row = rows[0];
  if (row === undefined) throw new Error(`no row for ${intentId}: was the database restored?`);
  return {
    status: parseIntentStatus(row.status),
    eventId: parseEventId(row.event_id),
    dueInMs: row.due_in_ms,
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
