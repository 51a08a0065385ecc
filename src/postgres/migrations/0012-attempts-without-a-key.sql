-- Purpose: an attempt is recorded by the statement that updates its event and takes the id from the row it updated
-- (webhook-finish-statement.ts), and no event is ever deleted. The foreign key asked for that row once more, for every
-- attempt: 7 of the 48 µs that an event of a backlog costs Postgres (docs/benchmarks.md).
-- Locks: webhook_attempts and webhook_events for a moment, without reading them.
-- Up Migration

alter table webhook_attempts drop constraint webhook_attempts_event_id_fkey;
