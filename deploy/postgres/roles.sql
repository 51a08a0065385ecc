-- The rights of our programs in Postgres. Run it as the owner of the database, who has CREATEROLE,
-- after each migration; it may be repeated:
--   psql "$OWNER_URL" -v ON_ERROR_STOP=1 -f deploy/postgres/roles.sql
-- `migrate` and `payctl data prune` connect as the owner. Every other login is a member of one of
-- these roles:
--   create role api login password '…' in role payments_app;
-- payments_app       API and workers. It cannot change or delete what was booked, and decides
--                    nothing that operators decide.
-- payments_support   payctl commands that only read, and "webhooks replay". No secret, no code, no
--                    payer, no payee.
-- payments_operator  support, and: asks for what needs two people, and stops alone.
-- payments_approver  support, and: approves what an operator has asked for, and stops alone. No
--                    login is both.
-- payments_reports   books and payments, for reports.
-- Operators and approvers write by functions only, which check them (decision 159). Give each
-- person a login: its name is in the audit trail.
-- One transaction: running programs never see a role without its rights.
begin;

do $$
declare
  role text;
begin
  foreach role in array array['payments_app', 'payments_support', 'payments_operator',
                              'payments_approver', 'payments_reports'] loop
    begin
      execute format('create role %I nologin', role);
    exception when duplicate_object or unique_violation then
      null;
    end;
    execute format('revoke all on all tables in schema public from %I', role);
    execute format('grant usage on schema public to %I', role);
  end loop;
end $$;

grant select, insert, update on all tables in schema public to payments_app;
grant usage on all sequences in schema public to payments_app;
-- What is written once: the ledger, and who did what.
revoke update on ledger_transfers, intent_transitions, attention, operator_actions,
  payout_resolutions, schema_migrations, service_environment, installation from payments_app;
revoke insert, update on attention_kinds, decisions from payments_app;
revoke insert on schema_migrations, service_environment from payments_app;
-- What operators decide, by functions alone.
revoke insert, update on approvals, closures, directory_version, operator_actions, partner_addresses,
  partners, signing_keys, token_issuers, webhook_endpoints from payments_app;
revoke insert on payout_resolutions from payments_app;
-- Functions end a stop, and say that a statement was approved.
revoke update on payout_stops, reconciliations from payments_app;
grant update (kind, gap_since, at) on payout_stops to payments_app;
grant update (finished_at) on reconciliations to payments_app;
grant update (disabled_at, disabled_reason, failing_since, gone_in_a_row, gone_since)
  on webhook_endpoints to payments_app;
-- Attention ends, or its sentence changes while it is open.
grant update (sentence, ended_at, ended_by, ended_reason) on attention to payments_app;
-- A worker writes that the provider's answer permits a resolution.
grant update (verified_attempts) on payout_resolutions to payments_app;
grant delete on request_nonces, used_tokens, confirm_payloads, quotes, pending_rechecks,
  worker_marks to payments_app;

-- Every column but these.
do $$
declare
  hidden constant text[] :=
    array['secret_sealed', 'previous_secret_sealed', 'partner_user_id', 'qr_payload', 'body',
          'payee_name', 'shown', 'sealed'];
  one record;
begin
  for one in
    select c.table_name as name, string_agg(quote_ident(c.column_name), ', ') as columns
      from information_schema.columns c
     where c.table_schema = 'public' and c.column_name <> all (hidden)
     group by c.table_name
  loop
    execute format('grant select (%s) on %I to payments_support', one.columns, one.name);
  end loop;
end $$;
-- Its status as the API reads it (src/postgres/intents/commit-under-way.ts).
grant select (xmax) on payment_intents to payments_support;
grant payments_support to payments_operator, payments_approver;

-- Whether a login may decide is checked in the functions too.
grant execute on function decide to payments_support;
grant execute on function lock_directory, permitted, record_resolution, ask, approve, reject,
  skip_pending_events, advance_delayed to payments_operator, payments_approver;
grant execute on function advance_delayed, spend_closing, permit_statement, lift_watch_gaps
  to payments_app;

grant select on ledger_accounts, ledger_transfers, ledger_entries, holding_balance, payouts,
  intent_transitions, reconciliations, reconcile_findings to payments_reports;
grant select (intent_id, partner_id, status, amount_usd_cents, corridor, created_at, expires_at,
  captured_at) on payment_intents to payments_reports;

commit;
