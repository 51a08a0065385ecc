// What must be true of every intent, its transfers and its payout, by the status it has (architecture, sections 3 and 5).
// Rows, not ifs: `payctl ledger check` goes through them for every intent.
import { parseIntentStatus } from '../domain/intent-transitions';
import type { IntentStatus } from '../domain/payment-intent';
import type { Queryable } from './database';
import type { KeyRange } from './ledger-snapshot';

/** An intent beside everything that was moved for it. */
export interface MoneyOfIntent {
  readonly intentId: string;
  readonly status: IntentStatus;
  readonly wasAuthorized: boolean;
  /** All transfers, whatever their key. */
  readonly transfers: number;
  readonly debits: number;
  readonly captures: number;
  readonly releases: number;
  readonly refunds: number;
  /** Those whose amount is not the intent's. */
  readonly otherAmounts: number;
  readonly otherDebits: number;
  readonly payouts: number;
  readonly sentPayouts: number;
  readonly paidPayouts: number;
  readonly declinedPayouts: number;
}

interface IntentRule {
  readonly name: string;
  readonly isAbout: (money: MoneyOfIntent) => boolean;
  readonly holds: (money: MoneyOfIntent) => boolean;
}

const hasStatus =
  (...statuses: readonly IntentStatus[]) =>
  ({ status }: MoneyOfIntent) =>
    statuses.includes(status);

export const INTENT_RULES: readonly IntentRule[] = [
  {
    name: 'debits_are_of_an_authorized_intent_and_its_amount',
    isAbout: ({ debits }) => debits > 0,
    holds: (money) =>
      money.wasAuthorized && !hasStatus('created', 'expired')(money) && money.otherDebits === 0,
  },
  {
    name: 'created_and_expired_moved_nothing',
    isAbout: hasStatus('created', 'expired'),
    holds: ({ transfers, payouts }) => transfers === 0 && payouts === 0,
  },
  {
    name: 'authorized_is_debited_at_most_once',
    isAbout: hasStatus('authorized'),
    holds: (money) =>
      money.debits <= 1 && money.transfers === money.debits && money.payouts === money.sentPayouts,
  },
  {
    name: 'captured_is_paid_once_and_matches_its_payout',
    isAbout: hasStatus('captured'),
    holds: (money) => isPaidOnce(money) && money.transfers === 2,
  },
  {
    name: 'refunded_was_paid_once_and_credited_once',
    isAbout: hasStatus('refunded'),
    holds: (money) => isPaidOnce(money) && money.refunds === 1 && money.transfers === 3,
  },
  {
    name: 'failed_and_cancelled_gave_back_what_was_debited',
    isAbout: hasStatus('failed', 'cancelled'),
    holds: (money) => isGivenBack(money) && (money.status === 'failed' || money.payouts === 0),
  },
];

function isPaidOnce(money: MoneyOfIntent): boolean {
  const isMovedOnce = money.debits === 1 && money.captures === 1 && money.otherAmounts === 0;
  return isMovedOnce && money.payouts === 1 && money.paidPayouts === 1;
}

function isGivenBack(money: MoneyOfIntent): boolean {
  const isBalanced = money.debits <= 1 && money.releases === money.debits;
  const isAll = money.transfers === money.debits + money.releases && money.otherAmounts === 0;
  return isBalanced && isAll && money.payouts === money.declinedPayouts;
}

interface MoneyRow {
  readonly intent_id: string;
  readonly status: string;
  readonly was_authorized: boolean;
  readonly transfers: number;
  readonly debits: number;
  readonly captures: number;
  readonly releases: number;
  readonly refunds: number;
  readonly other_amounts: number;
  readonly other_debits: number;
  readonly payouts: number;
  readonly sent: number;
  readonly paid: number;
  readonly declined: number;
}

export async function readMoneyOfIntents(
  connection: Queryable,
  { after, upTo }: KeyRange,
): Promise<readonly MoneyOfIntent[]> {
  const { rows } = await connection.query<MoneyRow>({
    text: `
      select i.intent_id, i.status, moved.*, paid_out.*,
             exists (select from intent_transitions h
                      where h.intent_id = i.intent_id and h.to_status = 'authorized') as was_authorized
        from payment_intents i
       cross join lateral (
             select count(*) as transfers,
                    count(*) filter (where t.transfer_key = i.intent_id || ':debit') as debits,
                    count(*) filter (where t.transfer_key = i.intent_id || ':capture') as captures,
                    count(*) filter (where t.transfer_key = i.intent_id || ':release') as releases,
                    count(*) filter (where t.transfer_key = i.intent_id || ':refund') as refunds,
                    count(*) filter (where t.amount_usd_cents <> i.amount_usd_cents) as other_amounts,
                    count(*) filter (where t.transfer_key = i.intent_id || ':debit'
                                       and t.amount_usd_cents <> i.amount_usd_cents) as other_debits
               from ledger_transfers t where t.intent_id = i.intent_id) as moved
       cross join lateral (
             select count(*) as payouts,
                    count(*) filter (where p.status = 'sent') as sent,
                    count(*) filter (where p.status = 'paid') as paid,
                    count(*) filter (where p.status = 'declined') as declined
               from payouts p where p.intent_id = i.intent_id) as paid_out
       where i.intent_id > $1 and i.intent_id <= $2`,
    values: [after, upTo],
  });
  return rows.map(toMoney);
}

function toMoney(row: MoneyRow): MoneyOfIntent {
  return {
    intentId: row.intent_id,
    status: parseIntentStatus(row.status),
    wasAuthorized: row.was_authorized,
    transfers: row.transfers,
    debits: row.debits,
    captures: row.captures,
    releases: row.releases,
    refunds: row.refunds,
    otherAmounts: row.other_amounts,
    otherDebits: row.other_debits,
    payouts: row.payouts,
    sentPayouts: row.sent,
    paidPayouts: row.paid,
    declinedPayouts: row.declined,
  };
}
