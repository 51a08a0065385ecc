-- Purpose: the actions of operators, stops of payouts, and the count by which Postgres and Temporal
-- are compared (decision 127).
-- Locks: none that matter, the tables are new.
-- Up Migration

-- Changes to a partner's endpoint, replays of its webhook events, and prunes, with their operator,
-- time and reason. An operator's decision about a payment is stored with the payment
-- (intent_transitions, attention), and a funding with its transfer.
create table operator_actions (
  action_id bigint generated always as identity primary key,
  at timestamptz not null default service_now(),
  actor text not null,
  -- The command, such as `webhooks replay`.
  action text not null,
  -- Null if the action was about all partners.
  partner_id text references partners,
  -- The event, if the action was about a single one.
  event_id text,
  -- How many events, or sealed secrets, the action changed; null if it is about neither.
  events bigint,
  reason text,
  -- The requested change as text; never a secret.
  details text
);
create index operator_actions_by_partner on operator_actions (partner_id, action_id);

-- Stops of all payouts: while one is in force, no payout is sent.
create table payout_stops (
  stop_id bigint generated always as identity primary key,
  at timestamptz not null default service_now(),
  actor text not null,
  reason text not null,
  ended_at timestamptz,
  ended_by text,
  ended_reason text,
  -- The cause: an operator, a restore of Postgres or Temporal to an earlier time, or too long a
  -- time without a comparison of the two.
  kind text not null default 'operator'
    constraint stop_kind_is_known
      check (kind in ('operator', 'restore', 'temporal_restore', 'watch_gap')),
  -- When the two were last compared before a `watch_gap`.
  gap_since timestamptz,
  constraint stop_end_is_complete check (num_nonnulls(ended_at, ended_by, ended_reason) in (0, 3)),
  constraint stop_has_gap check ((kind = 'watch_gap') = (gap_since is not null))
);
-- A repeat of the same stop adds no row. Every payout attempt reads this index first.
create unique index payout_stops_in_force on payout_stops (actor, reason) where ended_at is null;

-- Closed corridors and suspended partners: no payment of one is created or authorized while its
-- closure is in force (decision 158).
create table closures (
  closure_id bigint generated always as identity primary key,
  corridor text,
  partner_id text references partners,
  at timestamptz not null default service_now(),
  actor text not null,
  reason text not null,
  ended_at timestamptz,
  ended_by text,
  ended_reason text,
  constraint closure_is_of_one check (num_nonnulls(corridor, partner_id) = 1),
  constraint closure_end_is_complete
    check (num_nonnulls(ended_at, ended_by, ended_reason) in (0, 3))
);
-- No partner has the name of a corridor. Every create and every authorize reads this index.
create unique index closures_in_force on closures (coalesce(corridor, partner_id))
  where ended_at is null;

-- The timeline of Postgres' log (WAL): a failover and a restore begin another one. Null if it may
-- not be read.
create function log_timeline() returns text language plpgsql stable as $$
begin
  return substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
exception when others then
  return null;
end $$;

-- The tick count of Postgres. Temporal has its own; a difference shows that one of them was
-- restored to an earlier time.
create table restore_watch (
  is_only boolean primary key default true constraint watch_is_only check (is_only),
  ticks bigint not null,
  ticked_at timestamptz not null,
  -- Random marks of the last tick, which Temporal holds too, and of the tick before it.
  mark text,
  mark_before text,
  -- When the server of the last tick was started.
  server_started_at timestamptz,
  -- The timeline at the last tick.
  timeline text,
  -- When a tick last found another timeline than the tick before it.
  timeline_changed_at timestamptz
);
insert into restore_watch (ticks, ticked_at, timeline, server_started_at)
values (0, service_now(), log_timeline(), pg_postmaster_start_time());

-- A random mark of each running worker, which the worker remembers and replaces every second: a
-- Postgres that was restored to an earlier time lacks it. Rows live a day.
create table worker_marks (
  worker_id text primary key,
  mark text not null,
  marked_at timestamptz not null
);
