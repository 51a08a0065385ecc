-- Purpose: decisions of operators, and the approvals that they need (decision 159).
-- Locks: none that matter, the tables are new; intent_transitions gets a trigger.
-- Up Migration

-- What an operator has asked for and another may approve. It lasts an hour and is spent once, in
-- the commit of what it permits.
create table approvals (
  approval_id uuid primary key default gen_random_uuid(),
  -- The command of `payctl`, such as `accounts fund`, its arguments, and what it acts on as it was
  -- when it was asked for: where either differs later, nothing happens.
  verb text not null,
  given jsonb not null,
  acts_on jsonb not null,
  -- Sealed secrets that the command made. They become valid with the approval.
  sealed jsonb,
  -- As it was typed; the approver's `payctl` carries it out.
  command text[] not null,
  asked_by text not null,
  asked_at timestamptz not null default service_now(),
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  is_approved boolean,
  -- Why it was rejected, or taken alone.
  reason text,
  is_alone boolean not null default false,
  spent_at timestamptz,
  constraint decision_is_complete
    check (num_nonnulls(decided_at, decided_by, is_approved) in (0, 3)),
  constraint two_people_decide check (is_alone or decided_by <> asked_by or not is_approved),
  constraint only_an_approval_is_spent check (spent_at is null or is_approved)
);
create index approvals_open on approvals (verb, asked_at) where spent_at is null;

-- Whether decisions need two people: the owner of the database writes it.
create function needs_two(of_verb text) returns boolean language sql stable as $$
  select exists (select from service_environment where four_eyes) and of_verb <> all (array[
    'payouts stop', 'corridors close', 'partners suspend', 'keys revoke', 'webhooks disable',
    'webhooks replay'])
$$;

create function has_role(role text) returns boolean language sql stable as $$
  select exists (select from pg_roles r
                  where r.rolname = role and pg_has_role(session_user, r.oid, 'member'))
$$;

create function is_owner() returns boolean language sql stable as $$
  select pg_has_role(session_user, c.relowner, 'member')
    from pg_class c where c.oid = 'approvals'::regclass
$$;

-- The name for the audit trail: the login's. In the sandbox it is the one that was typed.
create function operator_name(typed text) returns text language sql stable as $$
  select case when exists (select from service_environment where environment = 'prod')
              then session_user::text else coalesce(typed, session_user::text) end
$$;

-- Refuses in a sentence, which `payctl` prints.
create function refuse(sentence text) returns void language plpgsql as $$
begin
  raise exception '%', sentence using errcode = 'PI001';
end $$;

-- A login may decide if it is an operator or an approver, not both; support replays webhooks only.
create function require_operator(of_verb text) returns void language plpgsql stable as $$
begin
  if lower(session_user) in ('payer', 'partner', 'system', 'migrate') then
    perform refuse(session_user || ' is a name of the audit trail: give this login another one.');
  end if;
  if is_owner() then return; end if;
  if has_role('payments_operator') and has_role('payments_approver') then
    perform refuse(session_user || ' is an operator and an approver: take one role from it.');
  end if;
  if has_role('payments_operator') or has_role('payments_approver')
     or (of_verb = 'webhooks replay' and has_role('payments_support')) then
    return;
  end if;
  perform refuse(format('The login %s may not do "%s": see deploy/postgres/roles.sql.',
                        session_user, of_verb));
end $$;

-- What a decision about a partner acts on: its settings, and the keys and endpoint that are valid.
create function partner_as_shown(of_partner text) returns jsonb language sql stable as $$
  select jsonb_build_object(
           'settings', to_jsonb(p) - 'logo_png',
           'networks', array(select network from partner_addresses a
                              where a.partner_id = p.partner_id order by network),
           'keys', array(select key_id from signing_keys k
                          where k.partner_id = p.partner_id and k.revoked_at is null
                            and (k.revokes_at is null or k.revokes_at > service_now())
                          order by key_id),
           'endpoint', (select jsonb_build_object('url', e.url, 'event_types', e.event_types,
                                                  'secret', md5(e.secret_sealed))
                          from webhook_endpoints e where e.partner_id = p.partner_id))
    from partners p where p.partner_id = of_partner
$$;

-- What a decision acts on, as it is now. A callback disables an endpoint by itself, so that is not
-- part of it.
create function acts_on(of_verb text, given jsonb) returns jsonb language sql stable as $$
  select coalesce(
    case split_part(of_verb, ' ', 1)
      when 'intents' then
        (select jsonb_build_object('status', i.status, 'requests', coalesce(p.requests, 0))
           from payment_intents i left join payouts p using (intent_id)
          where i.intent_id = given ->> 'intent_id')
      when 'payouts' then
        (select jsonb_build_object('stops', coalesce(jsonb_agg(stop_id order by stop_id), '[]'))
           from payout_stops where ended_at is null)
      when 'corridors' then
        (select jsonb_build_object('closure', max(closure_id))
           from closures where ended_at is null and corridor = given ->> 'of')
      when 'accounts' then '{}'
      else partner_as_shown(coalesce(given ->> 'partner_id', given ->> 'of'))
    end, '{}')
$$;

-- The approval that permits a decision. Its row is locked: a second use waits for the first.
create function find_approval(of_verb text, of_given jsonb, of_actor text) returns approvals
  language sql as $$
  select * from approvals a
   where a.verb = of_verb and a.spent_at is null and a.is_approved
     and a.expires_at > service_now()
     and case when of_actor is null then a.given = of_given
              else a.given @> of_given and a.asked_by = of_actor end
   order by a.asked_at limit 1 for update
$$;

create function require_approval(approval approvals, shown jsonb) returns void
  language plpgsql as $$
begin
  if approval.approval_id is null then
    raise exception 'this decision needs an approval' using errcode = 'PI004';
  end if;
  if approval.acts_on is distinct from shown then
    raise exception 'what this decision acts on has changed since it was asked for'
      using errcode = 'PI005', detail = approval.approval_id;
  end if;
end $$;

create function spend(approval approvals, shown jsonb) returns void language plpgsql as $$
begin
  perform require_approval(approval, shown);
  update approvals a set spent_at = service_now() where a.approval_id = approval.approval_id;
end $$;

-- Carries out a decision: the function `decision_…` of its verb writes, and returns null where
-- there was nothing to move. Only what moves needs an approval, and spends it.
create function decide(of_verb text, of_given jsonb, of_sealed jsonb, typed_name text)
  returns jsonb language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  approval approvals;
  shown jsonb;
  effect jsonb;
begin
  perform require_operator(of_verb);
  -- Decisions wait for each other, so that what they act on stays.
  perform from directory_version for update;
  approval := find_approval(of_verb, of_given, null);
  shown := acts_on(of_verb, of_given);
  execute format('select %I($1, $2, $3, $4)', 'decision_' || translate(of_verb, ' -', '__'))
    into effect
    using of_given, shown, coalesce(approval.asked_by, operator_name(typed_name)),
          coalesce(approval.sealed, of_sealed);
  if effect is null then return null; end if;
  if needs_two(of_verb) then perform spend(approval, shown); end if;
  return jsonb_build_object('effect', effect, 'asked_by', approval.asked_by);
end $$;

-- For a decision that a workflow carries out: the name of who asked for it. The approval is spent
-- by the statement that takes effect.
create function permitted(of_verb text, of_given jsonb, typed_name text)
  returns text language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  approval approvals;
begin
  perform require_operator(of_verb);
  approval := find_approval(of_verb, of_given, null);
  if needs_two(of_verb) then
    perform require_approval(approval, acts_on(of_verb, of_given));
  end if;
  return coalesce(approval.asked_by, operator_name(typed_name));
end $$;

-- A manual resolution of a payout, which its workflow carries out and no other (decision 145).
create function record_resolution(of_given jsonb, typed_name text)
  returns text language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  operator text := permitted('intents resolve', of_given, typed_name);
begin
  insert into payout_resolutions (intent_id, outcome, actor, reason, is_provider_gone)
  values (of_given ->> 'intent_id', case of_given ->> 'to' when 'captured' then 'paid'
                                                           else 'declined' end,
          operator, of_given ->> 'reason', (of_given ->> 'is_provider_gone')::boolean);
  return operator;
end $$;

-- No operator moves a payment without an approval, whatever asked the workflow to do it.
create function permit_transition() returns trigger language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  decided constant text := case new.to_status when 'authorized' then 'intents confirm'
                                              when 'refunded' then 'intents refund'
                                              else 'intents resolve' end;
  -- The workflow of a refund adds to the reason that the money had come back.
  reason constant jsonb := case when new.to_status = 'refunded' then '{}'
                                else jsonb_build_object('reason', new.reason) end;
begin
  if needs_two(decided) then
    perform spend(
      find_approval(decided, reason || jsonb_build_object('intent_id', new.intent_id,
                                                          'to', new.to_status), new.actor),
      jsonb_build_object('status', new.from_status, 'requests', coalesce((
        select p.requests from payouts p where p.intent_id = new.intent_id), 0)));
  end if;
  return new;
end $$;
create trigger intent_transitions_by_operators
  before insert on intent_transitions for each row
  when (new.actor not in ('payer', 'partner', 'system') or new.to_status = 'refunded'
        or (new.to_status = 'authorized' and new.actor <> 'payer'))
  execute function permit_transition();

-- A workflow whose row is lost spends the approval before it ends.
create function spend_closing(of_intent text, of_actor text, evidence text) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if needs_two('intents close-lost') then
    perform spend(find_approval('intents close-lost', jsonb_build_object(
                    'intent_id', of_intent, 'reason', evidence), of_actor), '{}');
  end if;
end $$;
