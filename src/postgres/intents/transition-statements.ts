// The statements that change a status, one for each edge of the table in
// src/domain/intents/transitions.ts. Each writes everything that belongs to the new status in the
// same commit (architecture, sections 2 and 3, rule R1).
import { INSUFFICIENT_FUNDS } from '../../domain/intents/transition';
import { PAYOUT_LOCKED_FOR_SECONDS } from '../../domain/payouts/limits';
import {
  IS_NOT_BY_PAYER,
  IS_OVERDUE,
  IS_UNPAID,
  MAY_END_UNPAID,
  PROVED_BY_ANSWER,
  statementOf,
  type Edge,
} from './transition-parts';
import { named } from '../named';
import { PAYOUT_IS_DECLINED, PAYOUT_IS_PAID } from '../payouts/endings';
import { closedBy } from '../partners/closures';
import { COUNTED_ON, countDay, GIVE_BACK, IS_WITHIN_DAY } from '../partners/limits';

/**
 * The workflow repairer checks an authorized intent that has not settled by then (architecture,
 * section 3).
 */
const SETTLEMENT_EXPECTED_WITHIN_SECONDS = 30;

const IS_DEBITED = `exists (
         select from ledger_transfers d where d.transfer_key = $intent_id || ':debit')`;
const IS_CAPTURED = `exists (
         select from ledger_transfers c where c.transfer_key = $intent_id || ':capture')`;
/**
 * Whether the provider has given this answer to the newest attempt, or an operator's resolution is
 * recorded. What a workflow knows permits nothing (decision 145).
 */
const isProven = (outcome: 'paid' | 'declined', system: string, operator: string) => `
       case when $actor = 'system' then ${system} or exists (
         select from payouts p where p.intent_id = $intent_id and ${PROVED_BY_ANSWER[outcome]})
       else exists (
         select from payout_resolutions r left join payouts p using (intent_id)
          where r.intent_id = $intent_id and r.outcome = '${outcome}'
            and r.actor = $actor and r.reason = $reason ${operator}) end`;

const TRANSFER = `
    insert into ledger_transfers (transfer_key, intent_id, from_account, to_account,
                                  amount_usd_cents, created_at, actor)`;

/** The scanned code of the token is stored; failovers lose commits. */
const HAS_ITS_CODE = `($token_has_code::boolean is not true
            or exists (select from confirm_payloads p where p.intent_id = $intent_id
                          and p.jti_hash = decode($token_hash, 'hex')))`;

/**
 * The quote that came with the token is firm, by the clock of this statement and at no later time
 * (decision 155).
 */
const HAS_NO_EXPIRED_QUOTE = `not exists (
         select from confirm_payloads p join quotes q on q.quote_id = p.quote_id
          where p.intent_id = $intent_id and p.jti_hash = decode($token_hash, 'hex')
            and q.expires_at <= clock.now)`;

/** The debited amount goes back to the holding account. */
const RELEASE = `
  transfers as (${TRANSFER}
    select m.intent_id || ':release', m.intent_id, 'reserved', 'holding',
           d.amount_usd_cents, clock.now, $actor
      from clock, moved m join ledger_transfers d on d.transfer_key = m.intent_id || ':debit'
    returning amount_usd_cents
  )`;

/** A refund is credited against the provider's debt to us (decision 16). */
const REFUND = `
  transfers as (${TRANSFER}
    select m.intent_id || ':refund', m.intent_id, 'due:' || m.corridor, 'holding',
           c.amount_usd_cents, clock.now, $actor
      from clock, moved m join ledger_transfers c on c.transfer_key = m.intent_id || ':capture'
    returning amount_usd_cents
  )`;

const CREDIT = `
  credited as (
    update holding_balance b set balance_usd_cents = b.balance_usd_cents + t.amount_usd_cents
      from transfers t
  )`;

/**
 * A release. The day is given back first: its row may be locked by many confirms of one partner,
 * and the balance, which all payments share, must not wait for them.
 */
const RELEASE_AND_CREDIT = [
  RELEASE,
  GIVE_BACK,
  CREDIT.replace(
    'from transfers t',
    'from transfers t where (select count(*) from given_back) >= 0',
  ),
];

/**
 * A token that expired while its confirm waited for a worker authorizes nothing, and no payment is
 * authorized whose workflow is gone. Past its deadline, the row expires instead.
 */
const AUTHORIZE: Edge = {
  from: 'created',
  only: 'not is_workflow_gone',
  set: `status = case when ${IS_OVERDUE} then 'expired' else 'authorized' end,
           check_at = case when i.expires_at > clock.now then
             clock.now + interval '${String(SETTLEMENT_EXPECTED_WITHIN_SECONDS)} s' end,
           counted_on = ${COUNTED_ON}`,
  // The row of the day is locked before the balance, here and by a release.
  count: { by: countDay, allows: IS_WITHIN_DAY },
  guards: [
    `(i.expires_at > clock.now or (${MAY_END_UNPAID}))`,
    `i.amount_usd_cents <= coalesce($maximum_usd_cents::bigint, i.amount_usd_cents)`,
    `($token_expires_at::timestamptz is null or $token_expires_at > clock.now)`,
    `($actor <> 'payer' or $token_hash::text is not null)`,
    HAS_ITS_CODE,
    HAS_NO_EXPIRED_QUOTE,
    `${closedBy('i.corridor', 'i.partner_id')} is null`,
  ],
  effects: [
    `
  token as (
    insert into used_tokens (partner_id, jti_hash, intent_id, expires_at)
    select $token_partner_id, decode($token_hash, 'hex'), m.intent_id, $token_expires_at
      from moved m where m.status = 'authorized' and $token_hash is not null)`,
    // The scanned code that came with the token becomes the payment's code (decision 20), and so
    // does its quote, with what the payer was shown.
    `
  code as (
    update confirm_payloads p set is_adopted = true
      from moved m
     where m.status = 'authorized' and p.intent_id = m.intent_id
       and p.jti_hash = decode($token_hash, 'hex')
    returning p.quote_id, p.shown)`,
    `
  quote as (
    update quotes q set is_adopted = true, shown = code.shown
      from code where q.quote_id = code.quote_id)`,
    // The debit is made here (decision 124) where the holding account has enough and no other
    // transaction has locked its balance: the statement never waits for that lock.
    `
  balance as (
    select b.is_only_row, m.amount_usd_cents
      from moved m, holding_balance b
     where m.status = 'authorized' and m.amount_usd_cents = $debit_usd_cents::bigint
       and b.balance_usd_cents >= m.amount_usd_cents
       and not ${IS_DEBITED}
       for update of b skip locked)`,
    `
  debited as (
    update holding_balance b set balance_usd_cents = b.balance_usd_cents - d.amount_usd_cents
      from balance d where b.is_only_row = d.is_only_row
    returning d.amount_usd_cents)`,
    `
  transfers as (${TRANSFER}
    select m.intent_id || ':debit', m.intent_id, 'holding', 'reserved',
           d.amount_usd_cents, clock.now, 'system'
      from clock, moved m, debited d)`,
  ],
  isDebited: 'exists (select from debited)',
};

const EXPIRE: Edge = {
  from: 'created',
  set: `status = 'expired', check_at = null`,
  guards: [IS_OVERDUE, MAY_END_UNPAID, IS_NOT_BY_PAYER],
  effects: [],
};

/** Past its deadline, the row expires instead. */
const CANCEL_CREATED: Edge = {
  from: 'created',
  set: `status = case when ${IS_OVERDUE} then 'expired' else 'cancelled' end, check_at = null`,
  guards: [MAY_END_UNPAID, IS_NOT_BY_PAYER],
  effects: [],
};

/** An authorized payment is cancelled only before its payout has begun. */
const CANCEL_AUTHORIZED: Edge = {
  from: 'authorized',
  set: `status = 'cancelled', check_at = null`,
  guards: [MAY_END_UNPAID, IS_NOT_BY_PAYER],
  effects: RELEASE_AND_CREDIT,
};

const CAPTURE: Edge = {
  from: 'authorized',
  set: `status = 'captured', captured_at = date_trunc('milliseconds', clock.now), check_at = null`,
  guards: [IS_DEBITED, isProven('paid', '$is_paid::boolean is true', ''), IS_NOT_BY_PAYER],
  effects: [
    `
  transfers as (${TRANSFER}
    select m.intent_id || ':capture', m.intent_id, 'reserved',
           'settlement:' || m.corridor, m.amount_usd_cents, clock.now, $actor
      from moved m, clock
  )`,
    ...PAYOUT_IS_PAID,
  ],
  payout: 'payout',
};

/** When the payout was locked for the verification of an operator's decision. */
const LOCKED_AT = `p.locked_until - interval '${String(PAYOUT_LOCKED_FOR_SECONDS)} s'`;

/**
 * A manual resolution as declined holds only if, since it was verified, no attempt has begun,
 * nothing was sent, and the provider has not accepted the payout.
 */
const IS_STILL_VERIFIED = `
            and r.verified_attempts = coalesce(p.attempts, 0)
            and (p.accepted_at is null or p.accepted_at <= ${LOCKED_AT})
            and (p.last_sent_at is null or p.last_sent_at <= ${LOCKED_AT})`;

/** A payment without an answer of the provider fails only for want of money. */
const HAD_TOO_LITTLE = `($reason = '${INSUFFICIENT_FUNDS}' and ${IS_UNPAID})`;

const FAIL: Edge = {
  from: 'authorized',
  set: `status = 'failed', check_at = null`,
  guards: [isProven('declined', HAD_TOO_LITTLE, IS_STILL_VERIFIED), IS_NOT_BY_PAYER],
  effects: [...RELEASE_AND_CREDIT, PAYOUT_IS_DECLINED],
  payout: 'payouts',
};

const REFUND_CAPTURED: Edge = {
  from: 'captured',
  set: `status = 'refunded', check_at = null`,
  // The last guard: a refund that waited for a prune still sees the capture that it deleted.
  guards: [IS_CAPTURED, IS_NOT_BY_PAYER, 'i.pruned_at is null'],
  effects: [REFUND, CREDIT],
  payout: 'payouts',
};

const EDGES: Readonly<Record<string, Edge>> = {
  'created authorize': AUTHORIZE,
  'created expire': EXPIRE,
  'created cancel': CANCEL_CREATED,
  'authorized cancel': CANCEL_AUTHORIZED,
  'authorized capture': CAPTURE,
  'authorized fail': FAIL,
  'captured refund': REFUND_CAPTURED,
};

/** The statements, by the status that the row must have and the event. */
export const TRANSITION_STATEMENTS: Readonly<Record<string, ReturnType<typeof named> | undefined>> =
  Object.fromEntries(
    Object.entries(EDGES).map(([name, edge]) => [
      name,
      named(`transition: ${name}`, statementOf(edge)),
    ]),
  );
