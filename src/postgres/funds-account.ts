// Port funds-account over the ledger. One statement on the fast path: a slot of the holding balance and the transfer
// together. Sixteen slots, because one locked row tops out at 1 500-3 000 debits a second (architecture, section 5).
import type { Corridor } from '../domain/corridor';
import type { IntentId } from '../domain/ids';
import { stepKey } from '../domain/ids';
import type { UsdCents } from '../domain/money';
import type { DebitOutcome, FundsAccount } from '../ports/funds-account';
import type { Database, Queryable } from './database';
import { HOLDING_SLOTS } from './holding';

interface FastRow {
  readonly is_done: boolean;
  readonly is_allowed: boolean;
}

export function createFundsAccount(database: Database): FundsAccount {
  return {
    // By the statement that moves the row: transition-statements.ts.
    joinsAuthorize: () => true,
    async debit(intentId, amountUsdCents, corridor) {
      const debit = { intentId, key: stepKey(intentId, 'debit'), amountUsdCents, corridor };
      const fast = await debitOneSlot(database, debit);
      if (!fast.is_allowed) return 'not_authorized';
      if (fast.is_done) return 'debited';
      return database.inTransaction((connection) => debitManySlots(connection, debit));
    },
  };
}

interface Debit {
  readonly intentId: IntentId;
  readonly key: string;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor | undefined;
}

/** The row that allows a debit: authorized, and of the payment that is debited. $1 the intent, $2 amount, $3 corridor or null. */
const ALLOWED = `
  select intent_id from payment_intents
   where intent_id = $1 and status = 'authorized'
     and amount_usd_cents = $2::bigint and corridor = coalesce($3, corridor)
     for share`;

/**
 * The share lock holds the intent's status still until the debit has committed: a debit that was frozen on its way
 * cannot land after the intent was cancelled or failed.
 */
async function debitOneSlot(database: Queryable, debit: Debit): Promise<FastRow> {
  const { rows } = await database.query<FastRow>({
    name: 'debit-one-slot',
    text: `
      with intent as (${ALLOWED}),
      prior as (
        select transfer_key from ledger_transfers where transfer_key = $4
      ),
      slot as (
        update holding_slots set balance_usd_cents = balance_usd_cents - $2::bigint
         where slot = $5 and balance_usd_cents >= $2::bigint
           and exists (select from intent) and not exists (select from prior)
        returning slot
      ),
      debit as (
        insert into ledger_transfers (transfer_key, intent_id, from_account, to_account, amount_usd_cents, created_at, actor)
        select $4, $1, 'holding', 'held', $2::bigint, service_now(), 'system' from slot
        returning transfer_key
      )
      select exists (select from intent) as is_allowed,
             exists (select from prior) or exists (select from debit) as is_done`,
    values: [...allowedValues(debit), debit.key, Math.floor(Math.random() * HOLDING_SLOTS)],
  });
  return rows[0] ?? { is_allowed: false, is_done: false };
}

/**
 * No single slot had enough: lock all of them in the order of their ids and draw from several under one key. The intent's
 * share lock comes first, as in every statement that takes both: an end that gives money back holds the intent while it
 * waits for a slot, so whoever held the slots while it waited for the intent would wait in a ring with it.
 */
async function debitManySlots(connection: Queryable, debit: Debit): Promise<DebitOutcome> {
  if (!(await holdAuthorized(connection, debit))) return 'not_authorized';
  await connection.query({
    name: 'lock-slots',
    text: 'select slot from holding_slots order by slot for update',
  });
  const { rows } = await connection.query<{ readonly standing: DebitOutcome | 'open' }>({
    name: 'debit-standing',
    text: `
      select case
               when exists (select from ledger_transfers where transfer_key = $1) then 'debited'
               when (select sum(balance_usd_cents) from holding_slots) < $2::bigint then 'insufficient'
               else 'open'
             end as standing`,
    values: [debit.key, debit.amountUsdCents],
  });
  const standing = rows[0]?.standing ?? 'not_authorized';
  if (standing !== 'open') return standing;
  await drawFromSlots(connection, debit);
  return 'debited';
}

async function holdAuthorized(connection: Queryable, debit: Debit): Promise<boolean> {
  const { rows } = await connection.query({
    name: 'hold-authorized',
    text: ALLOWED,
    values: allowedValues(debit),
  });
  return rows.length === 1;
}

function allowedValues({ intentId, amountUsdCents, corridor }: Debit): unknown[] {
  return [intentId, amountUsdCents, corridor ?? null];
}

async function drawFromSlots(connection: Queryable, debit: Debit): Promise<void> {
  await connection.query({
    name: 'draw-from-slots',
    text: `
      with running as (
        select slot, balance_usd_cents,
               sum(balance_usd_cents) over (order by slot) - balance_usd_cents as before
          from holding_slots
      ),
      drawn as (
        update holding_slots s
           set balance_usd_cents = s.balance_usd_cents - least(r.balance_usd_cents, $3::bigint - r.before::bigint)
          from running r
         where r.slot = s.slot and r.before < $3::bigint
      )
      insert into ledger_transfers (transfer_key, intent_id, from_account, to_account, amount_usd_cents, created_at, actor)
      values ($2, $1, 'holding', 'held', $3::bigint, service_now(), 'system')`,
    values: [debit.intentId, debit.key, debit.amountUsdCents],
  });
}
