// Port funds-account over the ledger: one statement changes the balance of the holding account and
// writes the transfer. The balance is one row, which takes 1 500 to 3 000 debits a second
// (architecture, section 5).
import { stepKey } from '../../domain/ids';
import type { FundsAccount } from '../../ports/funds-account';
import { readOne, readRows, type Database } from '../database';

interface DebitRow {
  readonly isAllowed: boolean;
  readonly isDone: boolean;
}

export function createFundsAccount(database: Database): FundsAccount {
  return {
    // The statement that authorizes makes the debit too: transition-statements.ts.
    joinsAuthorize: () => true,
    async debit(intentId, amountUsdCents, corridor) {
      const key = stepKey(intentId, 'debit');
      const values = [intentId, amountUsdCents, corridor ?? null, key];
      const debit = { name: 'debit', text: DEBIT, values };
      const { isAllowed, isDone } = await readOne<DebitRow>(database, debit);
      if (!isAllowed) return 'not_authorized';
      if (isDone) return 'debited';
      // Another attempt may have made the debit while this one waited for the balance.
      const made = await readRows(database, {
        name: 'debit-made',
        text: 'select from ledger_transfers where transfer_key = $1',
        values: [key],
      });
      return made.length > 0 ? 'debited' : 'insufficient';
    },
  };
}

/**
 * Debits only an authorized payment with these terms. The share lock prevents a status change until
 * the debit has committed, so a debit that was delayed cannot commit after the intent was cancelled
 * or failed. The intent is locked before the balance, as in every statement that locks both.
 */
const DEBIT = `
  with intent as materialized (
    select intent_id from payment_intents
     where intent_id = $1 and status = 'authorized'
       and amount_usd_cents = $2::bigint and corridor = coalesce($3, corridor)
       for share
  ),
  prior as (
    select transfer_key from ledger_transfers where transfer_key = $4
  ),
  balance as (
    update holding_balance set balance_usd_cents = balance_usd_cents - $2::bigint
     where balance_usd_cents >= $2::bigint
       and exists (select from intent) and not exists (select from prior)
    returning balance_usd_cents
  ),
  debit as (
    insert into ledger_transfers (transfer_key, intent_id, from_account, to_account,
                                  amount_usd_cents, created_at, actor)
    select $4, $1, 'holding', 'held', $2::bigint, service_now(), 'system' from balance
    returning transfer_key
  )
  select exists (select from intent) as "isAllowed",
         exists (select from prior) or exists (select from debit) as "isDone"`;
