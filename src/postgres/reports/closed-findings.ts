// Closes the findings that a later reconciliation no longer finds (decision 130).
import type { Corridor } from '../../corridors/names';
import { reconciledPart, type Scope } from '../../domain/reconciliation';
import { readOne, type Queryable } from '../database';

/** Each changes the rows of a finding and of a payment: all at once would time out. */
const CLOSED_AT_ONCE = 500;

/**
 * Closes each finding in the statement's scope that was not seen again although its money moved
 * inside the reconciled part of the period, and ends its attention, except `returned`, which a
 * query may have raised too. It locks a payment before its findings, as a refund does. A statement
 * that lacks a corridor shows nothing about its findings; where payments are missing for that
 * reason, it closes none at all.
 * @returns how many; null if nobody has approved the statement
 */
export async function closeUnseen(
  transaction: Queryable,
  reconciliationId: number,
  { period, corridor, unlisted }: Scope & { readonly unlisted: readonly Corridor[] },
): Promise<number | null> {
  const { isPermitted } = await readOne<{ readonly isPermitted: boolean }>(transaction, {
    text: 'select permit_statement($1) as "isPermitted"',
    values: [reconciliationId],
  });
  if (!isPermitted) return null;
  const reconciled = reconciledPart(period);
  if (reconciled === null) return 0;
  const values = [reconciliationId, reconciled.since, reconciled.until, corridor, unlisted];
  for (let all = 0; ;) {
    const { closed } = await readOne<{ readonly closed: number }>(transaction, {
      text: CLOSE_PAGE,
      values,
    });
    all += closed;
    if (closed < CLOSED_AT_ONCE) return all;
  }
}

const CLOSE_PAGE = `
  with due as materialized (
    select f.finding_id, f.intent_id
      from reconcile_findings f join reconciliations r on r.reconciliation_id = f.last_seen_by
     where f.closed_at is null and f.last_seen_by <> $1
       and f.moved_from > $2 and f.moved_until < $3
       and ($4::text is null or r.corridor = $4
            or (f.kind = 'corridor_missing' and f.stated_corridor = $4))
       and coalesce((select i.corridor from payment_intents i
                      where i.intent_id = f.intent_id), f.stated_corridor, '') <> all ($5)
       and not exists (select from statement_differences where kind = 'corridor_missing')
     limit ${String(CLOSED_AT_ONCE)}
  ),
  locked as materialized (
    select intent_id from payment_intents
     where intent_id in (select intent_id from due)
     order by intent_id
       for no key update
  ),
  closed as (
    update reconcile_findings f set closed_at = service_now(), closed_by = $1
      from due
     where f.finding_id = due.finding_id and f.closed_at is null
       and (select count(*) from locked) >= 0
    returning f.intent_id, f.kind
  ),
  ended as (
    update attention a
       set ended_at = service_now(), ended_by = concat('reconciliation ', $1)
      from closed c join locked using (intent_id)
     where a.intent_id = c.intent_id and a.kind = c.kind and a.ended_at is null
       and a.kind <> 'returned'
  )
  select count(*) as closed from closed`;
