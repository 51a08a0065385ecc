-- Purpose: asking for approvals, giving and refusing them.
-- Locks: none.
-- Up Migration

-- What people see of it. Sealed secrets stay in the table.
create view shown_approvals as
  select approval_id as id, verb, given, acts_on, command, asked_by, asked_at, expires_at,
         decided_by, decided_at, reason, is_alone, spent_at,
         case when spent_at is not null then 'carried_out'
              when not is_approved then 'rejected'
              when expires_at <= service_now() then 'expired'
              when is_approved then 'approved'
              else 'waiting' end as state
    from approvals;

create function approval_as_shown(of_id uuid) returns jsonb language sql stable as $$
  select to_jsonb(s) from shown_approvals s where s.id = of_id
$$;

create function ask(of_verb text, of_given jsonb, of_sealed jsonb, of_command text[])
  returns jsonb language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  waiting_max constant integer := 50;
  asked uuid;
begin
  perform require_operator(of_verb);
  if has_role('payments_approver') and not is_owner() then
    perform refuse(session_user || ' approves, and asks for nothing: an operator asks.');
  end if;
  if not needs_two(of_verb) and exists (select from service_environment where four_eyes) then
    perform refuse('"' || of_verb || '" needs nobody else: do it.');
  end if;
  if array_to_string(of_command[1:cardinality(string_to_array(of_verb, ' '))], ' ')
     is distinct from of_verb then
    perform refuse('The command of a request begins with its verb.');
  end if;
  -- Two at once may exceed it by one; a lock would let one login hold up all.
  if (select count(*) from shown_approvals
       where state = 'waiting' and asked_by = session_user) >= waiting_max then
    perform refuse(format('%s requests of %s wait already: "payctl approvals list".',
                          waiting_max, session_user));
  end if;
  insert into approvals (verb, given, acts_on, sealed, command, asked_by, expires_at)
  values (of_verb, of_given, acts_on(of_verb, of_given), of_sealed, of_command, session_user,
          service_now() + interval '1 hour')
  returning approval_id into asked;
  return approval_as_shown(asked);
end $$;

-- Why the session's login may not approve; null where it may.
create function why_not_approved(approval approvals, alone boolean) returns text
  language sql stable as $$
  select case
    when approval.spent_at is not null then 'It was carried out at ' || approval.spent_at || '.'
    when not approval.is_approved then 'It was rejected by ' || approval.decided_by || '.'
    when approval.expires_at <= service_now() then 'It has expired: ask again.'
    when alone and not exists (select from service_environment where break_glass)
      then 'Deciding alone is off: the owner of the database may set break_glass.'
    when alone and approval.asked_by <> session_user then 'Another login has asked for it.'
    when alone then null
    when has_role('payments_operator') or not has_role('payments_approver')
      then session_user || ' is no approver.'
    when approval.asked_by = session_user then 'The login that asked cannot approve.'
  end
$$;

-- It stays approved until it is spent or expires, so that a command that failed can be repeated.
create function approve(of_id uuid, alone boolean, why text) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  approval approvals;
  refusal text;
begin
  select * into approval from approvals a where a.approval_id = of_id for update;
  if not found then perform refuse('There is no such approval.'); end if;
  perform require_operator(approval.verb);
  refusal := why_not_approved(approval, alone);
  if refusal is not null then perform refuse(refusal || ' Nothing was changed.'); end if;
  update approvals a
     set is_approved = true, decided_by = session_user, is_alone = alone, reason = why,
         decided_at = coalesce(a.decided_at, service_now())
   where a.approval_id = of_id;
  return approval_as_shown(of_id);
end $$;

-- By an approver, or by the login that asked. What is spent stays.
create function reject(of_id uuid, why text) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update approvals a
     set is_approved = false, decided_by = session_user, decided_at = service_now(), reason = why
   where a.approval_id = of_id and a.spent_at is null and a.is_approved is not false
     and (a.asked_by = session_user or has_role('payments_approver'));
  if not found then
    perform refuse('It is carried out, rejected or unknown, or not yours to reject. Nothing was changed.');
  end if;
  return approval_as_shown(of_id);
end $$;

revoke execute on function ask, approve, reject from public;
