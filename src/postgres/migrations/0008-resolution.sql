-- Purpose: operations may close a payout for a minute, so that nothing is sent while they have it judged as declined, and end
-- the attention of a payment that is over
-- (architecture, section 3, "Settlement").
-- Locks: a short one on payouts; the column has no default to write.
-- Up Migration

alter table payouts add column closed_until timestamptz;

-- Attention on a payment that is over does not end by itself: people end it, and say why.
create table acknowledgements (
  intent_id text not null references payment_intents,
  at timestamptz not null,
  actor text not null,
  reason text not null,
  -- What they were told.
  attention_reason text not null,
  primary key (intent_id, at)
);
