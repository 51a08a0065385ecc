-- Purpose: the booking of what providers took (decision 157). The sums come from the
-- command, which reads them range by range; the approver's command computes the same.
-- Locks: none.
-- Up Migration

-- In exact cents, what prunes have carried forward of a corridor.
create function carried_costs(of_corridor text) returns jsonb language sql stable as $$
  select jsonb_build_object('total', coalesce(sum(total), 0), 'fees', coalesce(sum(fees), 0))
    from pruned_costs where corridor = of_corridor
$$;

-- The sums are rounded, and `fx` is their difference. What came back for a refund is what the
-- statement said that `returned` it, and nothing where none did. Cents leave the account.
create function decision_accounts_book(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
declare
  of_corridor constant text := given ->> 'corridor';
  period constant text := given ->> 'period';
  month_end constant timestamptz := (period || '-01')::timestamp at time zone 'utc'
                                    + interval '1 month';
begin
  -- Bookings of a corridor wait for each other, and for a prune, which moves costs.
  perform from ledger_accounts where account_id = 'due:' || of_corridor for update;
  if given -> 'carried' is distinct from carried_costs(of_corridor) then
    perform refuse('A prune has moved costs meanwhile. Nothing was booked: repeat the command.');
  end if;
  if month_end > service_now() then perform refuse(period || ' is not over.'); end if;
  with exact as (
    select round((given -> 'sums' ->> 'fees')::numeric
                 + (given -> 'carried' ->> 'fees')::numeric) as fees,
           round((given -> 'sums' ->> 'total')::numeric
                 + (given -> 'carried' ->> 'total')::numeric) as total
  ),
  kept as (
    select coalesce(round(sum(i.amount_usd_cents - f.stated_cost * 100)), 0) as kept
      from reconcile_findings f join payment_intents i using (intent_id)
     where f.kind = 'returned' and f.closed_at < month_end and f.closed_by is null
       and i.status = 'refunded' and i.corridor = of_corridor
  ),
  accounts as (
    select concat(kind, ':', of_corridor) as account, concat(other, ':', of_corridor) as other,
           cents
      from exact, kept, lateral (values ('fees', 'settlement', fees),
             ('fx', 'settlement', total - fees), ('due', 'fx', -kept)) as a (kind, other, cents)
  ),
  moved as (
    select account, other, cents - booked_until(account) as cents
      from accounts where not exists (
             select from booked_costs(of_corridor) b where b.month >= period)
  )
  insert into ledger_transfers (transfer_key, from_account, to_account, amount_usd_cents,
                                created_at, actor)
  select concat('cost:', account, ':', period), case when cents > 0 then account else other end,
         case when cents > 0 then other else account end, abs(cents), service_now(), by
    from moved where cents <> 0;
  return case when found then '{}'::jsonb end;
end $$;

-- What was booked of a corridor, by account and month; cents that left the account.
create function booked_costs(of_corridor text)
  returns table (account text, month text, cents bigint) language sql stable as $$
  select a.account, right(t.transfer_key, 7),
         t.amount_usd_cents * case t.from_account when a.account then 1 else -1 end
    from (select concat(kind, ':', of_corridor) as account
            from unnest(array['fees', 'fx', 'due']) as kind) as a
    join ledger_transfers t on t.transfer_key between concat('cost:', a.account, ':0000-00')
                                                  and concat('cost:', a.account, ':9999-99')
$$;

create function booked_until(of_account text) returns numeric language sql stable as $$
  select coalesce(sum(b.cents), 0) from booked_costs(split_part(of_account, ':', 2)) b
   where b.account = of_account
$$;
