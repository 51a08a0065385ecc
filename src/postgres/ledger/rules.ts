// The rules that `payctl ledger check` applies to every transfer, every intent with its transfers
// and its payout, and every payout (architecture, sections 3 and 5).
import type { KeyedTable } from './snapshot';

export interface LedgerRules {
  readonly table: KeyedTable;
  /**
   * A query for the rows of the table with keys beyond $1, up to $2: the key as `key`, and the
   * columns that the rules use.
   */
  readonly rows: string;
  /** By name: which of these rows a rule applies to, and the condition that must hold for them. */
  readonly rules: Readonly<Record<string, readonly [isAbout: string, holds: string]>>;
}

const IS_BY_HAND = `(t.transfer_key like 'fund:%' or t.transfer_key like 'repayment:%')`;
/** The sum of what pruned payments moved one way (decision 141). */
const IS_PRUNED_SUM = `(t.intent_id is null
                        and t.transfer_key = concat('pruned:', t.from_account, '>', t.to_account))`;
/** `cost:fx:th_qrpay:2026-03`: what a provider took or kept in a month that is over, either way. */
const IS_COST = `(t.intent_id is null
  and t.transfer_key ~ '^cost:(due|fees|fx):[a-z_]+:\\d{4}-(0[1-9]|1[0-2])$'
  and right(t.transfer_key, 7) < to_char(t.created_at at time zone 'utc', 'YYYY-MM'))`;
const COST_ACCOUNT = `substr(t.transfer_key, 6, length(t.transfer_key) - 13)`;
const OTHER_ACCOUNT = `case split_part(t.transfer_key, ':', 2) when 'due' then 'fx:'
  else 'settlement:' end || split_part(t.transfer_key, ':', 3)`;
const IS_WAY_OF_A_COST = `(${IS_COST} and (t.from_account, t.to_account) in (
  (${COST_ACCOUNT}, ${OTHER_ACCOUNT}), (${OTHER_ACCOUNT}, ${COST_ACCOUNT})))`;
const IS_WAY_OF_A_PAYMENT = `(
  (t.from_account, t.to_account) in (('holding', 'reserved'), ('reserved', 'holding'))
  or t.from_account = 'reserved' and t.to_account like 'settlement:%'
  or t.from_account like 'due:%' and t.to_account = 'holding')`;
const IS_PAID_ONCE =
  'debits = 1 and captures = 1 and other_amounts = 0 and payouts = 1 and paid = 1';
const IS_GIVEN_BACK =
  'debits <= 1 and releases = debits and transfers = debits + releases and other_amounts = 0';

/** The accounts of a transfer must be those that its key prescribes. */
export const TRANSFER_RULES: LedgerRules = {
  table: 'ledger_transfers',
  rows: `
    select t.transfer_key as key, e.entries, e.sum, t.amount_usd_cents,
           i.pruned_at is null and i.intent_id is not null or ${IS_BY_HAND} or ${IS_PRUNED_SUM}
             or ${IS_COST} as has_owner,
           ${IS_PRUNED_SUM} and ${IS_WAY_OF_A_PAYMENT} or ${IS_WAY_OF_A_COST} or (t.from_account, t.to_account) is not distinct from (
             case when t.transfer_key = t.intent_id || ':debit' then 'holding'
                  when t.transfer_key in (t.intent_id || ':capture', t.intent_id || ':release')
                    then 'reserved'
                  when t.transfer_key = t.intent_id || ':refund' then 'due:' || i.corridor
                  when t.intent_id is null and ${IS_BY_HAND} then 'funding' end,
             case when t.transfer_key = t.intent_id || ':debit' then 'reserved'
                  when t.transfer_key = t.intent_id || ':capture' then 'settlement:' || i.corridor
                  when t.transfer_key like 'repayment:%'
                    then 'due:' || split_part(t.transfer_key, ':', 2)
                  else 'holding' end) as has_its_accounts
      from (select distinct on (transfer_key) * from ledger_transfers
             where transfer_key > $1 and transfer_key <= $2) as t
      join (select transfer_key, count(*) as entries, sum(amount_usd_cents) as sum
              from ledger_entries
             where transfer_key > $1 and transfer_key <= $2 group by 1) as e using (transfer_key)
      left join payment_intents i on i.intent_id = t.intent_id`,
  rules: {
    entries_sum_to_zero: ['true', 'sum = 0'],
    transfer_keys_are_unique: ['true', 'entries = 2'],
    transfers_are_of_a_known_intent: ['true', 'has_owner'],
    transfers_go_a_known_way: ['true', 'has_its_accounts and amount_usd_cents > 0'],
  },
};

export const INTENT_RULES: LedgerRules = {
  table: 'payment_intents',
  rows: `
    select i.intent_id as key, i.status, moved.*, paid_out.*,
           exists (select from intent_transitions h
                    where h.intent_id = i.intent_id
                      and h.to_status = 'authorized') as was_authorized
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
     where i.intent_id > $1 and i.intent_id <= $2 and i.pruned_at is null`,
  rules: {
    debits_are_of_an_authorized_intent_and_its_amount: [
      'debits > 0',
      `was_authorized and status not in ('created', 'expired') and other_debits = 0`,
    ],
    created_and_expired_moved_nothing: [
      `status in ('created', 'expired')`,
      'transfers = 0 and payouts = 0',
    ],
    authorized_is_debited_at_most_once: [
      `status = 'authorized'`,
      'debits <= 1 and transfers = debits and payouts = sent',
    ],
    captured_is_paid_once_and_matches_its_payout: [
      `status = 'captured'`,
      `${IS_PAID_ONCE} and transfers = 2`,
    ],
    refunded_was_paid_once_and_credited_once: [
      `status = 'refunded'`,
      `${IS_PAID_ONCE} and refunds = 1 and transfers = 3`,
    ],
    failed_and_cancelled_gave_back_what_was_debited: [
      `status in ('failed', 'cancelled')`,
      `${IS_GIVEN_BACK} and payouts = declined and (status = 'failed' or payouts = 0)`,
    ],
  },
};

/** A payout implies a debit, and so an intent. */
export const PAYOUT_RULES: LedgerRules = {
  table: 'payouts',
  rows: `
    select p.intent_id as key,
           exists (select from ledger_transfers d
                    where d.transfer_key = p.intent_id || ':debit') as is_debited
      from payouts p
     where p.intent_id > $1 and p.intent_id <= $2`,
  rules: { payouts_follow_a_debit: ['true', 'is_debited'] },
};
