-- Purpose: that all payouts were stopped because a database was put back, by whoever stopped them: such a stop is ended only by who
-- says that people have compared (decision 127).
-- Locks: a short one on payout_stops; the default is not written to its rows.
-- Up Migration

set local lock_timeout = '2s';
alter table payout_stops add column is_for_restore boolean not null default false;
set local lock_timeout = default;
