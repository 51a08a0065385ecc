-- Purpose: an attempt is recorded by the statement that updates its event and takes the id from the row it updated
-- (webhook-finish-statement.ts), and no event is ever deleted. The foreign key asked for that row once more, for every
-- attempt: 7 of the 48 µs that an event of a backlog costs Postgres (docs/benchmarks.md).
-- Locks: webhook_events and webhook_attempts for a moment, without reading them, both before anything else and in the order in which
-- deliveries take them. Where a long reader stands in the way this gives up after two seconds: run it again.
-- Up Migration

set local lock_timeout = '2s';
lock table webhook_events, webhook_attempts in access exclusive mode;
alter table webhook_attempts drop constraint webhook_attempts_event_id_fkey;
set local lock_timeout = default;
