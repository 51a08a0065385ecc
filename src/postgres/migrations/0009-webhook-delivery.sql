-- Purpose: webhooks sent with manners (decisions 17 to 19): a bounded number of places per endpoint, held by leases across all
-- workers; secrets that rotate; endpoints that are disabled, and the events they missed.
-- Locks: short ones on webhook_endpoints and webhook_events; the new columns have constant defaults. The indexes are built while
-- writes to webhook_events wait.
-- Up Migration

alter table webhook_endpoints
  -- The secret before the last rotation; it signs beside the new one until then.
  add column previous_secret_sealed bytea,
  add column previous_until timestamptz,
  add column disabled_reason text,
  -- The first attempt that failed since one was taken last.
  add column failing_since timestamptz,
  add column gone_in_a_row integer not null default 0;

update webhook_endpoints set disabled_reason = 'disabled before reasons were kept' where disabled_at is not null;

alter table webhook_endpoints
  add constraint a_disabled_endpoint_has_a_reason check ((disabled_at is null) = (disabled_reason is null)),
  add constraint a_previous_secret_has_an_end check ((previous_secret_sealed is null) = (previous_until is null)),
  add constraint event_types_are_known check (event_types <@ array[
    'payment_intent.captured', 'payment_intent.failed', 'payment_intent.refunded',
    'payment_intent.expired', 'payment_intent.cancelled']);

alter table webhook_events
  -- When the next attempt may go out; null once nothing is owed.
  add column due_at timestamptz,
  -- The attempts that were made before the schedule last began: a replay begins it anew.
  add column attempts_replayed integer not null default 0,
  -- Who is sending it, and until when nobody else does.
  add column lease text,
  add column leased_until timestamptz,
  drop constraint event_state_is_known,
  -- 'missed': its endpoint was disabled; `payctl webhooks replay --missing` sends it.
  add constraint event_state_is_known check (state in ('owed', 'delivered', 'given_up', 'missed'));

update webhook_events set due_at = coalesce(check_at, created_at) where state = 'owed';
update webhook_events v set state = 'missed', due_at = null, check_at = null
  from webhook_endpoints e
 where e.partner_id = v.partner_id and e.disabled_at is not null and v.state = 'owed';

alter table webhook_events
  add constraint owed_events_are_due check ((state = 'owed') = (due_at is not null));
create index webhook_events_due on webhook_events (partner_id, due_at) where state = 'owed';
-- What may be sent again, for `payctl webhooks replay` and for the alarm about what was missed.
create index webhook_events_unsent on webhook_events (state, partner_id, created_at) where state in ('missed', 'given_up');
-- A lease changes no index, so with room on its page it writes none.
alter table webhook_events set (fillfactor = 70);

-- The leases that bound how many webhooks are under way to one endpoint, over all workers.
create table webhook_places (
  partner_id text not null references webhook_endpoints on delete cascade,
  place smallint not null,
  lease text,
  leased_until timestamptz not null default '-infinity',
  primary key (partner_id, place)
);

create function make_webhook_places() returns trigger
  language plpgsql
  as $$
begin
  insert into webhook_places (partner_id, place) select new.partner_id, generate_series(1, 16);
  return null;
end $$;

create trigger an_endpoint_has_places after insert on webhook_endpoints
  for each row execute function make_webhook_places();

insert into webhook_places (partner_id, place)
select e.partner_id, p from webhook_endpoints e, generate_series(1, 16) as p;
