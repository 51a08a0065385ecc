-- Purpose: that a database says which environment it belongs to, so that no process of another one works on it (decision 128).
-- The migration cannot know it: src/main/migrate.ts writes the row, once.
-- Locks: none that matter, the table is new.
-- Up Migration

create table service_environment (
  is_only boolean primary key default true constraint environment_is_only check (is_only),
  environment text not null constraint environment_is_known check (environment in ('sandbox', 'prod'))
);
