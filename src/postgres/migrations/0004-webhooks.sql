-- Purpose: webhook endpoints; events, written with their transition; and delivery attempts
-- (decisions 17 to 19).
-- Locks: none that matter, the tables are new.
-- Up Migration

create table webhook_endpoints (
  partner_id text primary key references partners,
  url text not null,
  secret_sealed bytea not null,
  event_types text[] not null constraint event_types_are_known check (event_types <@ array[
    'payment_intent.captured', 'payment_intent.failed', 'payment_intent.refunded',
    'payment_intent.expired', 'payment_intent.cancelled']),
  created_at timestamptz not null default service_now(),
  disabled_at timestamptz,
  -- The secret before the last rotation; it signs beside the new one until previous_until.
  previous_secret_sealed bytea,
  previous_until timestamptz,
  disabled_reason text,
  -- When the first attempt failed since the last accepted one.
  failing_since timestamptz,
  -- How many answers in a row were 410, and when the first of them came.
  gone_in_a_row integer not null default 0,
  gone_since timestamptz,
  constraint a_disabled_endpoint_has_a_reason
    check ((disabled_at is null) = (disabled_reason is null)),
  constraint answers_410_have_a_first check ((gone_in_a_row = 0) = (gone_since is null)),
  constraint a_previous_secret_has_an_end
    check ((previous_secret_sealed is null) = (previous_until is null))
);

create table webhook_events (
  event_id text primary key,
  intent_id text not null references payment_intents,
  partner_id text not null,
  type text not null,
  -- The exact text that is sent, the same in every attempt (decision 18).
  body text not null,
  created_at timestamptz not null,
  -- 'skipped': the endpoint was disabled; `payctl webhooks replay` sends the event.
  state text not null default 'pending' constraint event_state_is_known check (
    state in ('pending', 'delivered', 'exhausted', 'skipped')),
  attempts integer not null default 0,
  finished_at timestamptz,
  -- From when on the webhook poller sends the event, unless a workflow does; null when it is not
  -- pending.
  check_at timestamptz,
  -- When the next attempt may be sent; null when the event is not pending.
  due_at timestamptz,
  -- The number of attempts before the last replay, which restarted the schedule.
  attempts_replayed integer not null default 0,
  -- The lease of the sender, and until when no other sender may claim the event.
  lease text,
  leased_until timestamptz,
  constraint one_event_per_status unique (intent_id, type),
  constraint finished_events_are_not_checked check (state = 'pending' or check_at is null),
  constraint pending_events_are_due check ((state = 'pending') = (due_at is not null))
)
-- A lease changes no indexed column, so with free space on its page the update writes no index
-- entry.
with (fillfactor = 70);
create index webhook_events_to_check on webhook_events (check_at) where check_at is not null;
create index webhook_events_due on webhook_events (partner_id, due_at) where state = 'pending';
-- The events that may be replayed, for `payctl webhooks replay` and for the alarm about skipped
-- events.
create index webhook_events_unsent on webhook_events (state, partner_id, created_at)
  where state in ('skipped', 'exhausted');

-- There is no foreign key to webhook_events, which would read that row once more: the statement
-- that records an attempt also updates its event, and no event is ever deleted.
create table webhook_attempts (
  event_id text not null,
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

-- What partners and payers see of a payout: the provider's own id; what the payee got or, if
-- the provider has not said that, what was ordered; and why the intent failed. The row of a paid
-- payout may have a code too, of an earlier refusal or decline.
create function payout_summary(payout payouts, status text) returns text
  language sql stable
  return format(
    '{"reference":%s,"local":%s,"code":%s}',
    coalesce(to_json(payout.reference)::text, 'null'),
    case when payout.local_minor is not null
         then format('{"currency":"%s","amount":%s}', payout.local_currency, payout.local_minor)
         when payout.ordered_minor is not null
         then format('{"currency":"%s","amount":%s}', payout.ordered_currency, payout.ordered_minor)
         else 'null' end,
    case when status = 'failed'
         then coalesce(to_json(coalesce(payout.failure_code, payout.refused_as))::text, 'null')
         else 'null' end);

-- None of the values in `data` can contain a character that JSON would escape.
create function webhook_body(intent payment_intents, payout payouts, at timestamptz) returns text
  language sql stable
  return format(
    '{"type":"payment_intent.%s","timestamp":"%s","data":{"intent_id":"%s","status":"%s",'
    '"amount_usd_cents":%s,"corridor":"%s","created_at":"%s"%s},"payout":%s}',
    intent.status, rfc3339(at), intent.intent_id, intent.status,
    intent.amount_usd_cents, intent.corridor, rfc3339(intent.created_at),
    case when intent.status = 'captured'
         then format(',"captured_at":"%s"', rfc3339(intent.captured_at)) else '' end,
    payout_summary(payout, intent.status));
