-- Purpose: what replays of webhook events write (decision 19): the events become pending
-- again, their schedule restarts, and their attempts stay.
-- Locks: none.
-- Up Migration

create function decision_webhooks_replay(given jsonb, shown jsonb, by text, sealed jsonb)
  returns jsonb language plpgsql as $$
begin
  -- A transaction that disables the endpoint waits until this one ends.
  perform from webhook_endpoints
    where partner_id = given ->> 'partner_id' and disabled_at is null for share;
  if not found then return null; end if;
  if given ? 'event_id' then return replay_event(given, by); end if;
  return replay_page(given, by);
end $$;

-- Null while a worker sends the event: its lease is valid, or its row is being written. A locked
-- row is skipped and not waited for, since the transaction that locked it may wait for the
-- endpoint, which is locked here.
create function replay_event(given jsonb, by text) returns jsonb language plpgsql as $$
begin
  update webhook_events v
     set state = 'pending', due_at = service_now(), attempts_replayed = v.attempts,
         finished_at = null, lease = null, leased_until = null,
         check_at = service_now() + interval '60 s'
    from (select event_id from webhook_events e
           where event_id = given ->> 'event_id' and partner_id = given ->> 'partner_id'
             and (leased_until is null or leased_until <= service_now())
             for update skip locked) as free
   where v.event_id = free.event_id;
  if not found then return null; end if;
  return record_action(by, 'webhooks replay', given ->> 'partner_id', given || '{"events": 1}');
end $$;

-- Replays at most 500 unsent events after those of the page before. The next page begins after the
-- last row of a page that is full.
create function replay_page(given jsonb, by text) returns jsonb language plpgsql as $$
declare
  since constant timestamptz := given ->> 'since';
  done jsonb;
begin
  with page as materialized (
    select v.event_id, v.created_at,
           coalesce(v.finished_at, greatest(v.created_at, a.started_at)) as unsent_since
      from webhook_events v
      left join webhook_attempts a on a.event_id = v.event_id and a.attempt = v.attempts
     where v.state = given ->> 'state' and v.state in ('skipped', 'exhausted')
       and v.partner_id = given ->> 'partner_id'
       and (v.created_at, v.event_id)
           > ((given ->> 'after_created_at')::timestamptz, given ->> 'after_event_id')
     order by v.created_at, v.event_id
     limit 500
  ),
  matching as (select event_id from page where since is null or unsent_since >= since),
  free as (
    select v.event_id from webhook_events v join matching m on m.event_id = v.event_id
     where v.state in ('skipped', 'exhausted')
       and (v.leased_until is null or v.leased_until <= service_now())
       for update of v skip locked
  ),
  replayed as (
    update webhook_events v
       set state = 'pending', due_at = service_now(), attempts_replayed = v.attempts,
           finished_at = null, lease = null, leased_until = null, check_at = service_now()
      from free where v.event_id = free.event_id
    returning v.event_id
  )
  select jsonb_build_object(
           'replayed', (select count(*) from replayed),
           'older', (select count(*) from page) - (select count(*) from matching),
           'underWay', (select count(*) from matching) - (select count(*) from replayed),
           'next', (select json_build_object('createdAt', created_at::text, 'eventId', event_id)
                      from page order by created_at, event_id offset 499))
    into done;
  if (done ->> 'replayed')::integer = 0 then
    return done || jsonb_build_object('actionId', given -> 'action_id');
  end if;
  -- One row of the audit trail for all pages: it counts.
  if given ->> 'action_id' is null then
    return done || jsonb_build_object('actionId', record_action(
      by, 'webhooks replay', given ->> 'partner_id',
      given || jsonb_build_object('events', done -> 'replayed')) -> 'action_id');
  end if;
  update operator_actions set events = events + (done ->> 'replayed')::integer
   where action_id = (given ->> 'action_id')::bigint and action = 'webhooks replay'
     and actor = by and partner_id = given ->> 'partner_id';
  return done || jsonb_build_object('actionId', given -> 'action_id');
end $$;
