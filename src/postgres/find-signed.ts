// A signed read: the nonce is recorded and the intent read by one statement (decision 12), since a second one costs both sides
// as much again.
import type { IntentId } from '../domain/ids';
import type { SignedRead } from '../ports/intent-store';
import type { SignedCaller } from '../ports/replay-guard';
import type { Queryable } from './database';
import { INTENT_COLUMNS_AS_SEEN, toPaymentIntent, type IntentRow } from './intent-row';
import { CLAIM_NONCE, claimNonceValues, NONCE_CLAIM, type NonceClaimRow } from './nonce';

type ReadRow = NonceClaimRow & (IntentRow | { readonly intent_id: null });

/** Whoever is refused is told nothing of the intent. */
const READ = `
  with ${CLAIM_NONCE}
  select ${NONCE_CLAIM}, ${INTENT_COLUMNS_AS_SEEN}
    from (select) as once
    left join payment_intents i on i.intent_id = $6 and exists (select from nonce)`;

export async function findSigned(
  database: Queryable,
  environment: string,
  { caller, intentId }: { readonly caller: SignedCaller; readonly intentId: IntentId },
): Promise<SignedRead> {
  const { rows } = await database.query<ReadRow>({
    name: 'find-signed',
    text: READ,
    values: [...claimNonceValues(caller, environment), intentId],
  });
  const [row] = rows;
  if (row === undefined) return { nonce: 'withdrawn', intent: undefined };
  const intent = row.intent_id === null ? undefined : toPaymentIntent(row);
  return { nonce: row.nonce_claim, intent };
}
