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
  constraint only_an_approval_is_spent check (spent_at is null or is_approved),
  constraint approval_is_small
    check (octet_length(given::text) <= 200000 and octet_length(command::text) <= 20000)
);
create index approvals_open on approvals (verb, asked_at) where spent_at is null and is_approved;

-- Every decision, and whether it needs two people. Those that do not only stop, close, suspend,
-- revoke, disable, or send a webhook again.
create table decisions (
  verb text primary key,
  needs_two boolean not null
);
insert into decisions (verb, needs_two)
select verb, false
  from unnest(array['payouts stop', 'corridors close', 'partners suspend', 'keys revoke',
                    'webhooks disable', 'webhooks replay']) as alone (verb)
union all
select verb, true
  from unnest(array['accounts fund', 'accounts book-repayment', 'accounts book', 'corridors open',
                    'partners create', 'partners set', 'partners resume', 'partners erase-user',
                    'keys issue', 'keys reseal', 'webhooks set', 'webhooks rotate',
                    'payouts allow', 'intents refund', 'intents resolve', 'intents confirm',
                    'intents resume', 'intents reference', 'intents acknowledge',
                    'intents close-lost', 'reconcile', 'data prune']) as pair (verb);

-- The owner of the database writes whether decisions need two people at all.
create function needs_two(of_verb text) returns boolean language sql stable as $$
  select exists (select from service_environment where four_eyes)
     and coalesce((select d.needs_two from decisions d where d.verb = of_verb), true)
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
  if not exists (select from decisions d where d.verb = of_verb) then
    perform refuse('There is no decision ' || coalesce(of_verb, 'without a verb') || '.');
  end if;
  -- A snapshot from before would show what another decision has changed since.
  if current_setting('transaction_isolation') <> 'read committed' then
    perform refuse('A decision needs the isolation level read committed.');
  end if;
  if lower(session_user) in ('payer', 'partner', 'system', 'migrate') then
    perform refuse(session_user || ' is a name of the audit trail: give this login another one.');
  end if;
  if is_owner() then return; end if;
  if has_role('payments_operator') and has_role('payments_approver') then
    perform refuse(session_user || ' is an operator and an approver: take one role from it.');
  end if;
  if has_role('payments_app') then
    perform refuse(session_user || ' is the login of the service, which decides nothing.');
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
           'settings', to_jsonb(p) - 'logo_png' - 'created_at',
           'issuers', array(select issuer from token_issuers t
                             where t.partner_id = p.partner_id order by issuer),
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
                || case of_verb
                     when 'intents acknowledge' then jsonb_build_object('attention', array(
                       select a.attention_id from attention a
                        where a.intent_id = i.intent_id and a.ended_at is null
                        order by a.attention_id))
                     when 'intents reference' then
                       jsonb_build_object('proposed', p.proposed_reference)
                     else '{}' end
           from payment_intents i left join payouts p using (intent_id)
          where i.intent_id = given ->> 'intent_id')
      when 'payouts' then
        (select jsonb_build_object('stops', coalesce(jsonb_agg(
                  jsonb_build_array(stop_id, kind, extract(epoch from at)) order by stop_id), '[]'))
           from payout_stops where ended_at is null)
      when 'accounts' then '{}'
      else case when given ? 'of' then
                  (select jsonb_build_object('closure', max(closure_id))
                     from closures where ended_at is null
                      and coalesce(corridor, partner_id) = given ->> 'of')
                else partner_as_shown(given ->> 'partner_id') end
    end, '{}')
$$;

-- The approval that permits a decision, if one does of what was shown. Only who approved carries
-- it out, or the owner; a workflow does in the name of who asked. Its row is locked: a second use
-- waits for the first.
create function find_approval(of_verb text, of_given jsonb, of_actor text, shown jsonb)
  returns approvals
  language sql as $$
  select * from approvals a
   where a.verb = of_verb and a.spent_at is null and a.is_approved
     and a.expires_at > service_now()
     and case when of_actor is null
              then a.given = of_given and (a.decided_by = session_user or is_owner())
              else a.given @> of_given and a.asked_by = of_actor end
   order by a.acts_on is distinct from shown, a.asked_at desc limit 1 for update
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
  -- Decisions wait for each other, so that what they act on stays. What stops waits for nobody; but
  -- a revocation changes the directory, so it locks that first, as all who do.
  if needs_two(of_verb) or of_verb = 'keys revoke' then
    perform from directory_version for update;
  end if;
  shown := acts_on(of_verb, of_given);
  if needs_two(of_verb) then approval := find_approval(of_verb, of_given, null, shown); end if;
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
  shown constant jsonb := acts_on(of_verb, of_given);
begin
  perform require_operator(of_verb);
  if needs_two(of_verb) then
    approval := find_approval(of_verb, of_given, null, shown);
    perform require_approval(approval, shown);
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
  shown constant jsonb := jsonb_build_object('status', new.from_status, 'requests', coalesce((
    select p.requests from payouts p where p.intent_id = new.intent_id), 0));
begin
  if tg_relid <> 'intent_transitions'::regclass then
    raise exception 'only a transition spends an approval';
  end if;
  if needs_two(decided) then
    perform spend(find_approval(decided, reason || jsonb_build_object(
                    'intent_id', new.intent_id, 'to', new.to_status), new.actor, shown), shown);
  end if;
  return new;
end $$;
create trigger intent_transitions_by_operators
  before insert on intent_transitions for each row
  when (new.actor not in ('payer', 'partner', 'system') or new.to_status = 'refunded'
        or (new.to_status = 'authorized' and new.actor <> 'payer'))
  execute function permit_transition();

-- A workflow whose row is lost spends the approval before it ends. A repeat, after an answer that
-- was lost, finds it spent.
create function spend_closing(of_intent text, of_actor text, evidence text) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  of_given constant jsonb := jsonb_build_object('intent_id', of_intent, 'reason', evidence);
begin
  if not needs_two('intents close-lost') then return; end if;
  if exists (select from approvals a
              where a.verb = 'intents close-lost' and a.given = of_given and a.asked_by = of_actor
                and a.spent_at > service_now() - interval '1 hour') then
    return;
  end if;
  perform spend(find_approval('intents close-lost', of_given, of_actor, '{}'), '{}');
end $$;

-- Everybody may execute a new function. roles.sql grants what each role needs.
revoke execute on function decide, permitted, record_resolution, permit_transition, spend_closing
  from public;
