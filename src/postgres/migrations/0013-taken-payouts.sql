-- Purpose: when the provider first said that it has the payout, pending or paid in whatever amount. From then on its silence does not
-- say that it was never executed, whichever run asks (decision 105).
-- Locks: a short one on payouts; the column has no default to write.
-- Up Migration

set local lock_timeout = '2s';
alter table payouts add column taken_at timestamptz;
set local lock_timeout = default;
