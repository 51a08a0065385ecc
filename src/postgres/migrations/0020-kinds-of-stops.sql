-- Purpose: why payouts were stopped, in one column instead of a flag and the name of an actor (decision 127): by operations, because a
-- database was put back, or because nobody compared Postgres with Temporal for too long, and since when.
-- Locks: a short one on payout_stops, a table of a few rows.
-- Up Migration

set local lock_timeout = '2s';
alter table payout_stops
  add column kind text not null default 'operator'
    constraint stop_kind_is_known check (kind in ('operator', 'restore', 'watch_gap')),
  add column gap_since timestamptz;
update payout_stops set kind = 'restore' where is_for_restore or actor = 'system';
alter table payout_stops
  drop column is_for_restore,
  add constraint stop_has_gap check ((kind = 'watch_gap') = (gap_since is not null));
set local lock_timeout = default;
