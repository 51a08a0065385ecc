// Ids that operators have found at a provider, for payouts whose answer, with the id, was lost.
import type { IntentId } from '../../domain/ids';
import { readRows, type Queryable } from '../database';

export interface Proposal {
  readonly intentId: IntentId;
  readonly reference: string;
  /** The operator's name. */
  readonly actor: string;
}

/**
 * Replaces an earlier proposal. Does nothing, and returns false, unless a payout has begun, its
 * payment is open, and the provider has named no id.
 */
export async function proposeReference(
  database: Queryable,
  { intentId, reference, actor }: Proposal,
): Promise<boolean> {
  const proposed = await readRows(database, {
    text: `update payouts p set proposed_reference = $2, proposed_by = $3
             from payment_intents i
            where p.intent_id = $1 and i.intent_id = p.intent_id and i.status = 'authorized'
              and p.reference is null
           returning p.intent_id`,
    values: [intentId, reference, actor],
  });
  return proposed.length > 0;
}
