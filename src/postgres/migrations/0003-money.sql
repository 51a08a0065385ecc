-- Purpose: the double-entry ledger and the payouts (architecture, section 5).
-- Locks: none that matter, the tables are new.
-- Up Migration

create table ledger_accounts (
  account_id text primary key,
  purpose text not null
);
insert into ledger_accounts (account_id, purpose) values
  ('funding', 'Where money put into the holding account comes from'),
  ('holding', 'The funds-holding account: what may be paid out'),
  ('reserved', 'Debited for intents that are authorized and not settled yet');

-- A transfer is one row with both sides, so it cannot be unbalanced. Its key prevents a second one.
create table ledger_transfers (
  transfer_key text primary key,
  intent_id text references payment_intents,
  from_account text not null,
  to_account text not null,
  amount_usd_cents bigint not null
    constraint transfer_amount_is_positive check (amount_usd_cents > 0),
  created_at timestamptz not null,
  actor text not null
);
create index ledger_transfers_by_intent on ledger_transfers (intent_id);

-- Adds a corridor: its accounts, and its name to the constraints that name all corridors and
-- accounts. They lock their tables for an instant and read no row: what was valid stays so.
create function add_corridor(added text) returns void language plpgsql as $$
declare
  accounts text;
  corridors text;
begin
  insert into ledger_accounts (account_id, purpose) values
    ('settlement:' || added, 'Paid out by the provider of ' || added),
    -- Refunds are booked against this account (decision 16).
    ('due:' || added,
     'What the provider of ' || added || ' owes us for refunds: below zero until it has paid'),
    ('fees:' || added, 'Minus the fees that the provider of ' || added || ' took'),
    ('fx:' || added,
     'Minus what payments of ' || added || ' cost beyond their amounts and the fees');
  select string_agg(quote_literal(account_id), ', '),
         string_agg(quote_literal(split_part(account_id, ':', 2)), ', ')
           filter (where account_id like 'settlement:%')
    into accounts, corridors
    from ledger_accounts;
  alter table payment_intents drop constraint if exists corridor_is_known;
  execute format('alter table payment_intents add constraint corridor_is_known
                    check (corridor in (%s)) not valid', corridors);
  alter table ledger_transfers drop constraint if exists transfer_joins_known_accounts;
  execute format('alter table ledger_transfers add constraint transfer_joins_known_accounts
                    check (from_account in (%1$s) and to_account in (%1$s)
                           and from_account <> to_account) not valid', accounts);
end $$;
select add_corridor('th_qrpay'), add_corridor('vn_qrpay');

create view ledger_entries as
  select transfer_key, intent_id, from_account as account_id,
         -amount_usd_cents as amount_usd_cents, created_at
    from ledger_transfers
  union all
  select transfer_key, intent_id, to_account, amount_usd_cents, created_at
    from ledger_transfers;

-- The balance of `holding`, in one row, so that no debit has to sum the account's entries. It
-- equals their sum.
create table holding_balance (
  is_only_row boolean primary key default true
    constraint holding_balance_is_one_row check (is_only_row),
  balance_usd_cents bigint not null default 0
    constraint holding_never_below_zero check (balance_usd_cents >= 0)
);
insert into holding_balance default values;

-- One row per payout that was ever attempted. An attempt queries the provider, and records a
-- sending before the first byte leaves.
create table payouts (
  intent_id text primary key references payment_intents,
  status text not null
    constraint payout_status_is_known check (status in ('sent', 'paid', 'declined')),
  attempts integer not null,
  first_attempt_at timestamptz not null,
  -- Orders that were recorded before a byte left, and those of them that the provider has refused;
  -- why, by a code that does not pass if there was one.
  requests integer not null default 0,
  refusals integer not null default 0,
  refused_as text,
  -- Null before the first request. Until 6 s after the last one the order may be on its way, and
  -- nothing else is sent (decision 105).
  first_sent_at timestamptz,
  last_sent_at timestamptz,
  decided_at timestamptz,
  -- Nothing is sent before this time, while an operator's decision is verified (architecture,
  -- section 3, "Settlement").
  locked_until timestamptz,
  -- When the provider first accepted the payout: it was pending, paid in any amount, returned or a
  -- duplicate. From then on an answer that the provider does not know it no longer proves that it
  -- was never executed.
  accepted_at timestamptz,
  -- Since when the provider declines. Nothing is sent then. An acceptance revokes it.
  declined_at timestamptz,
  -- The provider's answer to the newest attempt; null until there is one. The beginning of an
  -- attempt removes it. A payment's workflow captures only by `paid`, and releases the debit only
  -- by `unpaid` (decision 145).
  answer text constraint payout_answer_is_known
    check (answer in ('paid', 'unpaid', 'declined', 'pending', 'duplicate', 'returned',
                      'amount_mismatch')),
  -- What the provider says of the payment: its own id, what the payee gets in minor units, and why
  -- it declined or refused.
  reference text,
  -- An id that an operator has found at the provider, or that a callback has named: queries use it
  -- while there is no other. Only an answer that has our key makes it the reference.
  proposed_reference text,
  proposed_by text,
  local_currency text,
  local_minor bigint,
  failure_code text,
  bank_reference text,
  -- What it took from our balance there, as decimal texts.
  cost_currency text,
  cost_debited numeric,
  cost_fee numeric,
  cost_rate numeric,
  -- Fixed by the first request (decision 151): the account at the provider, what the payee must
  -- get, the bound of the cost, and what the order repeats of a quote. Every later request and
  -- query uses these.
  account text,
  token text,
  ordered_currency text,
  ordered_minor bigint,
  max_cost_usd_cents bigint,
  -- When it is queried after the capture whether the money came back, and since when the provider
  -- says so (decision 152). Set by the first request, so that the capture writes no index.
  ask_at timestamptz,
  ask_corridor text,
  returned_at timestamptz,
  -- When a callback was last taken as a hint; the payment's check_at, if it is due.
  hinted_at timestamptz
);
create index payouts_to_ask on payouts (ask_corridor, ask_at) where ask_at is not null;

-- What pruned payouts of a corridor cost beyond their amounts, and the fees in that; exact cents.
create table pruned_costs (
  corridor text primary key,
  total numeric not null,
  fees numeric not null
);

-- Manual resolutions of payouts, written by `payctl` before the workflow is requested to carry them
-- out. The workflow writes no other.
create table payout_resolutions (
  resolution_id bigint generated always as identity primary key,
  intent_id text not null references payment_intents,
  at timestamptz not null default service_now(),
  outcome text not null
    constraint resolution_outcome_is_known check (outcome in ('paid', 'declined')),
  actor text not null,
  -- As in the audit trail.
  reason text not null,
  is_provider_gone boolean not null,
  -- For `declined`: the payout's number of attempts when the provider's answer permitted it.
  verified_attempts integer
);
create index payout_resolutions_by_intent on payout_resolutions (intent_id);

-- Manual resolutions of payouts, and cancels of authorized payments whose payout the provider did
-- not know, until they are rechecked against later provider answers (architecture, section 3,
-- "Settlement"). The payment's workflow does the recheck. If that workflow is lost, this row makes
-- the workflow repairer start another one.
create table pending_rechecks (
  intent_id text primary key references payment_intents,
  resolved_as text not null
    constraint resolved_as_is_known check (resolved_as in ('paid', 'declined', 'cancelled')),
  -- A provider that has not answered by then has neither contradicted nor confirmed the resolution.
  due_by timestamptz not null,
  -- When the workflow repairer next makes sure that a workflow does the recheck.
  check_at timestamptz not null
);
create index pending_rechecks_to_check on pending_rechecks (check_at);
