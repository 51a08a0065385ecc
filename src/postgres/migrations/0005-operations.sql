-- Purpose: what operations have done and stopped, and the count by which Postgres and Temporal are compared (decision 127).
-- Locks: none that matter, the tables are new.
-- Up Migration

-- Who changed a partner's endpoint or had its webhooks sent again, when and why. What operations decide about a payment stands
-- with the payment (intent_transitions, acknowledgements), and money put in with its transfer.
create table operator_actions (
  action_id bigint generated always as identity primary key,
  at timestamptz not null default service_now(),
  actor text not null,
  -- The command, such as `webhooks replay`.
  action text not null,
  partner_id text not null references partners,
  -- The one event that it was about.
  event_id text,
  -- How many events it moved; null where it is not about events.
  events bigint,
  reason text,
  -- What was asked for, in words; never a secret.
  details text
);
create index operator_actions_by_partner on operator_actions (partner_id, action_id);

-- That no payout may be sent for now: since when, by whom, and why.
create table payout_stops (
  stop_id bigint generated always as identity primary key,
  at timestamptz not null default service_now(),
  actor text not null,
  reason text not null,
  ended_at timestamptz,
  ended_by text,
  ended_reason text,
  -- By operations, because Postgres or Temporal was put back, or because the two were not compared for too long.
  kind text not null default 'operator'
    constraint stop_kind_is_known check (kind in ('operator', 'restore', 'temporal_restore', 'watch_gap')),
  -- Since when nobody had compared them.
  gap_since timestamptz,
  constraint stop_ends_whole check (num_nonnulls(ended_at, ended_by, ended_reason) in (0, 3)),
  constraint stop_has_gap check ((kind = 'watch_gap') = (gap_since is not null))
);
-- Saying the same again stops nothing twice; and every attempt to pay out looks here first.
create unique index payout_stops_in_force on payout_stops (actor, reason) where ended_at is null;

-- The timeline of the log of Postgres: a failover and a restore begin another one. Null where it may not be read.
create function log_timeline() returns text language plpgsql stable as $$
begin
  return substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
exception when others then
  return null;
end $$;

-- Either of Postgres and Temporal is noticed to have gone back.
create table restore_watch (
  is_only boolean primary key default true constraint watch_is_only check (is_only),
  ticks bigint not null,
  ticked_at timestamptz not null,
  -- That of the last tick.
  timeline text,
  -- The last tick that found another timeline than the one before it.
  timeline_changed_at timestamptz
);
insert into restore_watch (ticks, ticked_at, timeline) values (0, service_now(), log_timeline());
