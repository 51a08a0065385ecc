-- Purpose: reconciliations of our books with the provider's statements, and the differences they
-- found (decision 130).
-- Locks: none that matter, the tables are new.
-- Up Migration

create table reconciliations (
  reconciliation_id bigint generated always as identity primary key,
  at timestamptz not null default service_now(),
  -- Null while its findings are being written; it stays null if that was interrupted.
  finished_at timestamptz,
  actor text not null,
  -- The name of the file without its folder, and the digest of its bytes.
  statement text not null,
  statement_sha256 bytea not null
    constraint statement_sha256_is_sha256 check (octet_length(statement_sha256) = 32),
  -- The corridor of the statement; null when it covers all.
  corridor text,
  since timestamptz not null,
  until timestamptz not null,
  lines bigint not null,
  -- What permits it to close findings and lift stops; null without four eyes, and where nobody has
  -- approved the statement.
  approval_id uuid,
  constraint period_begins_before_its_end check (since <= until)
);

-- There is no foreign key to payment_intents: a finding may have a key that we do not know, and is
-- stored longer than the rows that retention deletes.
create table reconcile_findings (
  finding_id bigint generated always as identity primary key,
  kind text not null constraint finding_kind_is_known check (
    kind in ('paid_not_captured', 'captured_not_paid', 'amount_differs', 'corridor_differs',
             'corridor_missing', 'paid_twice', 'returned', 'key_unknown')),
  -- Of corridor_missing instead: the corridor and the period's beginning.
  payout_key text not null,
  -- Null if there is no such intent.
  intent_id text,
  -- The first line of the statement that shows the finding, and its values; null if no line does.
  line bigint,
  stated_usd_cents bigint,
  stated_local jsonb,
  stated_cost numeric,
  -- Of corridor_missing the one that is not stated.
  stated_corridor text,
  -- How many lines of the statement have the key and one status, paid or returned; of
  -- corridor_missing, how many payments it lacks.
  times bigint not null,
  -- The money moved between these times: a reconciliation that covers both shows whether the
  -- difference still exists.
  moved_from timestamptz not null,
  moved_until timestamptz not null,
  found_by bigint not null references reconciliations,
  last_seen_by bigint not null references reconciliations,
  closed_at timestamptz,
  -- Null also where a new status of the payment closed it, or was there before the finding.
  closed_by bigint references reconciliations,
  constraint finding_close_is_complete check (closed_at is not null or closed_by is null)
);
-- A difference that is found again while its finding is open is not stored again.
create unique index reconcile_findings_open on reconcile_findings (kind, payout_key)
  where closed_at is null;
create index reconcile_findings_by_intent on reconcile_findings (intent_id);
create index reconcile_findings_seen_by on reconcile_findings (last_seen_by);

-- Money that came back is booked by a refund, or by the release of the debit.
create function close_returned_finding() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  update reconcile_findings set closed_at = service_now()
   where intent_id = new.intent_id and kind = 'returned' and closed_at is null;
  return null;
end $$;
create trigger payment_intents_status_closes_finding
  after update of status on payment_intents
  for each row
  when (old.status is distinct from new.status and new.status in ('refunded', 'failed'))
  execute function close_returned_finding();
