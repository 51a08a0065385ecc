-- Purpose: what operations declared about a payout, for as long as it is owed to compare that with what the provider says
-- (architecture, section 3, "Settlement"). The payment's run does; a run that is gone cannot say that it no longer does.
-- Locks: none that matter, the table is new.
-- Up Migration

create table owed_comparisons (
  intent_id text primary key references payment_intents,
  declared text not null constraint declared_is_an_outcome check (declared in ('paid', 'declined')),
  -- A provider that has said nothing by then has contradicted nothing, and confirmed nothing.
  due_by timestamptz not null,
  -- When the reconciler looks next whether somebody compares.
  check_at timestamptz not null
);
create index owed_comparisons_to_check on owed_comparisons (check_at);
