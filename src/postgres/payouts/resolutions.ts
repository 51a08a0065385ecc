// Manual resolutions of payouts. `payctl` records one before it requests the workflow to carry it
// out; the workflow carries out no other (decision 145).
import type { IntentId } from '../../domain/ids';
import { resolvedReason, type Resolution } from '../../domain/intents/manual-resolution';
import type { Queryable } from '../database';

export async function recordResolution(
  database: Queryable,
  intentId: IntentId,
  resolution: Resolution,
): Promise<void> {
  await database.query({
    text: `insert into payout_resolutions (intent_id, outcome, actor, reason, is_provider_gone)
           values ($1, $2, $3, $4, $5)`,
    values: [intentId, ...valuesOf(resolution)],
  });
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
