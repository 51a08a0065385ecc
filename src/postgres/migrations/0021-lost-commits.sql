-- Purpose: what keeps money right after Postgres has lost commits (decision 127): rows whose provider is asked before anything is
-- sent, expired or cancelled; and lists of intents by time, since ids that are derived from idempotency keys do not sort by it.
-- Locks: a short one on payment_intents for the column; writes to it wait while the index is built.
-- Up Migration

set local lock_timeout = '2s';
alter table payment_intents add column must_ask_provider boolean not null default false;
set local lock_timeout = default;
create index payment_intents_by_creation on payment_intents (created_at);
