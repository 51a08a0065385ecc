-- Purpose: webhook events, written with their transition, and every attempt to deliver them (decisions 17 to 19).
-- Locks: none that matter, the tables are new.
-- Up Migration

create table webhook_events (
  event_id text primary key,
  intent_id text not null references payment_intents,
  partner_id text not null,
  type text not null,
  -- The exact text sent, the same on every attempt (decision 18).
  body text not null,
  created_at timestamptz not null,
  state text not null default 'owed' constraint event_state_is_known check (state in ('owed', 'delivered', 'given_up')),
  attempts integer not null default 0,
  finished_at timestamptz,
  -- When the reconciler makes sure that somebody is delivering it; null once nothing is owed.
  check_at timestamptz,
  constraint one_event_per_status unique (intent_id, type),
  constraint finished_events_are_not_checked check (state = 'owed' or check_at is null)
);
create index webhook_events_to_check on webhook_events (check_at) where check_at is not null;

create table webhook_attempts (
  event_id text not null references webhook_events,
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status integer,
  error text,
  answer_excerpt text,
  primary key (event_id, attempt)
);

-- RFC 3339 in UTC with milliseconds, as api/intents/view.ts writes it.
create function rfc3339(at timestamptz) returns text
  language sql stable
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- The body of decision 18. No value in it can hold a character that JSON would escape.
create function webhook_body(intent payment_intents, at timestamptz) returns text
  language sql stable
  return format(
    '{"type":"payment_intent.%s","timestamp":"%s","data":{"intent_id":"%s","status":"%s","amount_usd_cents":%s,"corridor":"%s","created_at":"%s"%s}}',
    intent.status, rfc3339(at), intent.intent_id, intent.status, intent.amount_usd_cents, intent.corridor,
    rfc3339(intent.created_at),
    case when intent.status = 'captured' then format(',"captured_at":"%s"', rfc3339(intent.captured_at)) else '' end);
