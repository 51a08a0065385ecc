-- Purpose: a payment that was cancelled because the provider said that it has no payout of it is compared for a day too, as what
-- operations declared is (decision 25).
-- Locks: a short one on owed_comparisons, which holds what was declared within a day.
-- Up Migration

set local lock_timeout = '2s';
alter table owed_comparisons drop constraint declared_is_an_outcome;
alter table owed_comparisons
  add constraint declared_is_an_end check (declared in ('paid', 'declined', 'cancelled'));
set local lock_timeout = default;
