-- Purpose: what a statement file may end needs an approval of that file.
-- Locks: none.
-- Up Migration

-- Whether a reconciliation may close findings, end their attention and lift stops: an operator has
-- asked for its statement, by the digest of its bytes, and another has approved. It spends the
-- approval.
create function permit_statement(of_reconciliation bigint) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  approval approvals;
begin
  if not needs_two('reconcile') then return true; end if;
  select a.* into approval from approvals a, reconciliations r
   where r.reconciliation_id = of_reconciliation and a.verb = 'reconcile' and a.is_approved
     and a.spent_at is null and a.expires_at > service_now()
     and a.given ->> 'sha256' = encode(r.statement_sha256, 'hex')
     and a.given ->> 'corridor' is not distinct from r.corridor
     and coalesce((a.given ->> 'since')::timestamptz, r.since) = r.since
     and coalesce((a.given ->> 'until')::timestamptz, r.until) = r.until
   order by a.asked_at limit 1 for update of a;
  if approval.approval_id is null then return false; end if;
  update approvals a set spent_at = service_now() where a.approval_id = approval.approval_id;
  update reconciliations r set approval_id = approval.approval_id
   where r.reconciliation_id = of_reconciliation;
  return true;
end $$;

-- Lifts the stops by age whose entire gap lies in a period in which our books agree with the
-- provider's, and no other stop.
create function lift_watch_gaps(of_reconciliation bigint, after timestamptz, before timestamptz,
                                by text)
  returns setof bigint language sql security definer
  set search_path = pg_catalog, public, pg_temp as $$
  update payout_stops s
     set ended_at = service_now(), ended_by = by,
         ended_reason = 'reconciliation ' || of_reconciliation || ' is clean'
    from reconciliations r
   where r.reconciliation_id = of_reconciliation
     and (r.approval_id is not null or not needs_two('reconcile'))
     and after >= r.since and before <= r.until
     and s.ended_at is null and s.kind = 'watch_gap' and s.gap_since > after and s.at < before
  returning s.stop_id
$$;

revoke execute on function permit_statement, lift_watch_gaps from public;
