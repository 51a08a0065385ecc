-- Purpose: who changed a partner's endpoint or had its webhooks sent again, when and why. What operations decide about a
-- payment stands with the payment (intent_transitions, acknowledgements), and money put in with its transfer.
-- Locks: none that matter, the table is new.
-- Up Migration

create table operator_actions (
  action_id bigint generated always as identity primary key,
  at timestamptz not null default service_now(),
  actor text not null,
  -- The command, such as `webhooks replay`.
  action text not null,
  partner_id text not null references partners,
  -- The one event that it was about.
  event_id text,
  -- How many events it moved; null where it is not about events.
  events bigint,
  reason text,
  -- What was asked for, in words; never a secret.
  details text
);
create index operator_actions_by_partner on operator_actions (partner_id, action_id);
