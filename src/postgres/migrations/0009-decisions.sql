-- Purpose: what decisions of operators write: the function `decision_…` of each verb of `payctl`
-- (decision 159). Only `decide` calls them, as the owner. Each returns null where there was nothing
-- to move. Their parameters: the arguments, what they act on, who asked, and sealed secrets.
-- Locks: none.
-- Up Migration

create function record_action(by text, of_action text, of_partner text, given jsonb)
  returns jsonb language sql as $$
  insert into operator_actions (actor, action, partner_id, event_id, events, reason, details)
  values (by, of_action, of_partner, given ->> 'event_id', (given ->> 'events')::bigint,
          given ->> 'reason', given ->> 'details')
  returning jsonb_build_object('action_id', action_id)
$$;

-- The holding account and the books.

create function book_funding(of_key text, usd_cents bigint, by text) returns boolean
  language sql as $$
  with transfer as (
    insert into ledger_transfers (transfer_key, from_account, to_account, amount_usd_cents,
                                  created_at, actor)
    values (of_key, 'funding', 'holding', usd_cents, service_now(), by)
        on conflict (transfer_key) do nothing
    returning amount_usd_cents
  ),
  credited as (
    update holding_balance b set balance_usd_cents = b.balance_usd_cents + t.amount_usd_cents
      from transfer t
    returning b.balance_usd_cents
  )
  select exists (select from credited)
$$;

-- Only the owner, as a decision does, books what no payment moves.
create function reject_undecided_transfer() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  if not (select pg_has_role(current_user, c.relowner, 'member')
            from pg_class c where c.oid = tg_relid) then
    raise exception 'a decision books %', new.transfer_key using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger transfers_by_decisions
  before insert on ledger_transfers for each row
  when (new.intent_id is null) execute function reject_undecided_transfer();

-- The prefix prevents an operator from using up a key of ours, such as that of a debit.
create function decision_accounts_fund(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  select '{}'::jsonb
   where book_funding('fund:' || (given ->> 'key'), (given ->> 'amount_usd_cents')::bigint, by)
$$;

-- Bookings of a corridor wait for each other, so that together they never exceed the debt. A
-- refund that commits meanwhile only makes the debt larger.
create index ledger_due on ledger_transfers (from_account, to_account)
  where from_account like 'due:%' or to_account like 'due:%';

create function decision_accounts_book_repayment(
  given jsonb, shown jsonb, by text, sealed jsonb) returns jsonb language plpgsql as $$
declare
  account constant text := 'due:' || (given ->> 'corridor');
  usd_cents constant bigint := (given ->> 'amount_usd_cents')::bigint;
begin
  perform from ledger_accounts a where a.account_id = account for update;
  insert into ledger_transfers (transfer_key, from_account, to_account, amount_usd_cents,
                                created_at, actor)
  select concat_ws(':', 'repayment', given ->> 'corridor', given ->> 'key'), 'funding', account,
         usd_cents, service_now(), by
   where usd_cents <= due_of(account)
      on conflict (transfer_key) do nothing;
  return case when found then '{}'::jsonb end;
end $$;

create function due_of(account text) returns bigint language sql stable as $$
  select coalesce(sum(case t.from_account when account then t.amount_usd_cents
                                          else -t.amount_usd_cents end), 0)::bigint
    from ledger_transfers t
   where (t.from_account like 'due:%' or t.to_account like 'due:%')
     and account in (t.from_account, t.to_account)
$$;

-- Corridors and partners (decision 158).

create function close_door(of_corridor text, of_partner text, by text, why text)
  returns boolean language sql as $$
  with made as (
    insert into closures (corridor, partner_id, actor, reason)
    values (of_corridor, of_partner, by, why)
        on conflict (coalesce(corridor, partner_id)) where ended_at is null do nothing
    returning closure_id)
  select exists (select from made)
$$;

create function open_door(of_corridor text, of_partner text, by text, why text)
  returns boolean language sql as $$
  with ended as (
    update closures set ended_at = service_now(), ended_by = by, ended_reason = why
     where (corridor = of_corridor or partner_id = of_partner) and ended_at is null
    returning closure_id)
  select exists (select from ended)
$$;

create function decision_corridors_close(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  select record_action(by, 'corridors close', null,
                       given || jsonb_build_object('details', given -> 'of'))
   where close_door(given ->> 'of', null, by, given ->> 'reason')
$$;

create function decision_corridors_open(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  select record_action(by, 'corridors open', null,
                       given || jsonb_build_object('details', given -> 'of'))
   where open_door(given ->> 'of', null, by, given ->> 'reason')
$$;

create function decision_partners_suspend(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  select record_action(by, 'partners suspend', given ->> 'of', given)
   where close_door(null, given ->> 'of', by, given ->> 'reason')
$$;

create function decision_partners_resume(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  select record_action(by, 'partners resume', given ->> 'of', given)
   where open_door(null, given ->> 'of', by, given ->> 'reason')
$$;

-- Stops of payouts (decision 127).

-- A restore can bring back a stop for an earlier restore. Its repeat is made anew, so that payments
-- that were created between the two are queried first.
create function stop_payouts(by text, why text, of_kind text, since timestamptz)
  returns boolean language sql as $$
  with made as (
    insert into payout_stops as s (actor, reason, kind, gap_since)
    values (by, why, of_kind, since)
        on conflict (actor, reason) where ended_at is null
        do update set kind = excluded.kind, gap_since = excluded.gap_since, at = excluded.at
                   where excluded.kind = 'restore'
                      or (s.kind = 'operator' and excluded.kind <> 'operator')
    returning stop_id)
  select exists (select from made)
$$;

create function decision_payouts_stop(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  select jsonb_build_object('is_new', stop_payouts(by, given ->> 'reason', given ->> 'kind', null))
$$;

-- Lifts the stops that were shown, or none if one of them is for a restore and that was not said.
-- The condition on the row itself counts if a stop becomes one for a restore meanwhile.
create function decision_payouts_allow(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  with lifted as (
    update payout_stops
       set ended_at = service_now(), ended_by = by, ended_reason = given ->> 'reason'
     where ended_at is null and shown -> 'stops' @> jsonb_build_array(
             jsonb_build_array(stop_id, kind, extract(epoch from at)))
       and ((given ->> 'after_restore')::boolean
            or (kind = 'operator' and not exists (select from payout_stops
                 where ended_at is null and kind <> 'operator')))
    returning stop_id)
  select jsonb_build_object('stops', jsonb_agg(stop_id order by stop_id)) from lifted
  having count(*) > 0
$$;

-- Makes delayed payments due for the workflow repairer as soon as any other payment; at most 5 000
-- at once. Returns how many.
create function advance_delayed(within_seconds integer) returns integer
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  with next_check as materialized (
    select service_now() + make_interval(secs => within_seconds) as at
     where not exists (select from payout_stops where ended_at is null)
  ),
  advanced as (
    update payment_intents set check_at = next_check.at from next_check
     where intent_id = any (array(
             select i.intent_id from payment_intents i
              where i.check_at > (select at from next_check) and i.status = 'authorized'
              limit 5000 for update skip locked))
    returning intent_id
  )
  select count(*)::integer from advanced
$$;

-- Payments.

-- Of an open payment it ends none, since its next status does.
create function decision_intents_acknowledge(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  with payment as materialized (
    select intent_id from payment_intents
     where intent_id = given ->> 'intent_id' and status not in ('created', 'authorized')
       for no key update
  ),
  ended as (
    update attention a
       set ended_at = service_now(), ended_by = by, ended_reason = given ->> 'reason'
      from payment where a.intent_id = payment.intent_id and a.ended_at is null
       and given -> 'kinds' @> to_jsonb(a.kind)
    returning a.kind
  )
  select jsonb_build_object('kinds', jsonb_agg(kind)) from ended having count(*) > 0
$$;

-- Replaces an earlier proposal. Only a payout that has begun, of an open payment, for which the
-- provider has named no id, gets one.
create function decision_intents_reference(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
begin
  update payouts p set proposed_reference = given ->> 'reference', proposed_by = by
    from payment_intents i
   where p.intent_id = given ->> 'intent_id' and i.intent_id = p.intent_id
     and i.status = 'authorized' and p.reference is null;
  return case when found then '{}'::jsonb end;
end $$;

-- Operators have compared, and a workflow may start again.
create function decision_intents_resume(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  with payment as materialized (
    select intent_id from payment_intents
     where intent_id = given ->> 'intent_id' for no key update
  ),
  ended as (
    update attention a set ended_at = service_now(), ended_by = 'resume'
      from payment where a.intent_id = payment.intent_id
       and a.kind = 'workflow_gone' and a.ended_at is null
    returning a.kind
  )
  select jsonb_build_object('ended', (select count(*) from ended)) from payment
$$;

-- Work that only the owner of the database can do. What it needs is the approval.

create function decision_keys_reseal(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  select record_action(by, 'keys reseal', null, given || '{"events": 0}')
$$;

-- Neither here nor in the approval is the payer named.
create function decision_partners_erase_user(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  select record_action(by, 'partners erase-user', given ->> 'partner_id', given)
$$;

-- An age that was approved once permits every later prune of that age or a greater one.
create function decision_data_prune(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language sql as $$
  select '{}'::jsonb
   where not exists (select from approvals a
                      where a.verb = 'data prune' and a.spent_at is not null
                        and (a.given ->> 'days')::integer <= (given ->> 'days')::integer)
$$;

revoke execute on function advance_delayed from public;
