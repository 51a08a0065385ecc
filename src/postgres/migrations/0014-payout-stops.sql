-- Purpose: that no payout may be sent for now, since when, by whom and why (decision 127); and the count by which Postgres and
-- Temporal are compared, so that either is noticed to have gone back.
-- Locks: none that matter, the tables are new.
-- Up Migration

create table payout_stops (
  stop_id bigint generated always as identity primary key,
  at timestamptz not null default service_now(),
  actor text not null,
  reason text not null,
  ended_at timestamptz,
  ended_by text,
  ended_reason text,
  constraint stop_ends_whole check (
    num_nonnulls(ended_at, ended_by, ended_reason) in (0, 3)
  )
);
-- Saying the same again stops nothing twice; and every attempt to pay out looks here first.
create unique index payout_stops_in_force on payout_stops (actor, reason) where ended_at is null;

create table restore_watch (
  is_only boolean primary key default true constraint watch_is_only check (is_only),
  ticks bigint not null,
  ticked_at timestamptz not null
);
insert into restore_watch (ticks, ticked_at) values (0, service_now());
