// Manual resolutions of payouts. `payctl` records one before it requests the workflow to carry it
// out; the workflow carries out no other (decision 145).
import type { IntentId } from '../../domain/ids';
import { resolvedReason, type Resolution } from '../../domain/intents/manual-resolution';
import { asking } from '../approvals/decide';
import { readOne, type Queryable } from '../database';

/** @returns the name of the operator @throws ApprovalRequired */
export async function recordResolution(
  database: Queryable,
  intentId: IntentId,
  { outcome, actor, evidence, isProviderGone = false }: Resolution,
): Promise<string> {
  const given = {
    intent_id: intentId,
    to: outcome === 'paid' ? 'captured' : 'failed',
    reason: resolvedReason(evidence),
    is_provider_gone: isProviderGone,
  };
  const { operator } = await asking({ verb: 'intents resolve', given, actor }, () =>
    readOne<{ readonly operator: string }>(database, {
      text: 'select record_resolution($1, $2) as operator',
      values: [JSON.stringify(given), actor],
    }),
  );
  return operator;
}

/** Changes nothing if `payctl` has not recorded this resolution. */
export async function recordVerified(
  database: Queryable,
  intentId: IntentId,
  { resolution, attempts }: { readonly resolution: Resolution; readonly attempts: number },
): Promise<void> {
  await database.query({
    name: 'record-verified',
    text: `update payout_resolutions set verified_attempts = $6
            where intent_id = $1 and outcome = $2 and actor = $3 and reason = $4
              and is_provider_gone = $5`,
    values: [intentId, ...valuesOf(resolution), attempts],
  });
}

function valuesOf({ outcome, actor, evidence, isProviderGone = false }: Resolution): unknown[] {
  return [outcome, actor, resolvedReason(evidence), isProviderGone];
}
