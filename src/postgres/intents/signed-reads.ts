// Signed reads: one statement in one commit records the nonces and reads the intents (decision 12).
// Callers that wait at the same time share it (decision 121), since each further statement would
// cost both sides as much again.
import type { IntentId } from '../../domain/ids';
import type { SignedRead } from '../../ports/intents';
import type { SignedCaller } from '../../ports/partners';
import { readRows, type Queryable } from '../database';
import { createBatching, listsOf } from '../batching';
import { INTENT_COLUMNS_AS_SEEN, toPaymentIntent, type IntentRow } from './row';
import { claimNonces, NONCE_CLAIM, nonceColumns, type NonceClaimRow } from '../partners/nonces';

interface Read {
  readonly caller: SignedCaller;
  readonly intentId: IntentId;
}

type ReadRow = NonceClaimRow & (IntentRow | { readonly intent_id: null });

/**
 * The commit waits for this server's disk and for no standby, so that reads work while a standby is
 * away. A rejected caller gets nothing of the intent. Each row is found by its key,
 * and every parameter was parsed or made by us, so that no caller's input can make the statement
 * fail for the others (like READ_TOKENS in session-tokens.ts).
 */
const READ = `
  with ${claimNonces({ intent_id: 'text' })},
  durability as materialized (select set_config('synchronous_commit', 'local', true) as level)
  select ${NONCE_CLAIM}, found.*
    from batch
    join durability on durability.level = 'local'
    join checked using (ordinal)
    left join claimed using (ordinal)
    left join lateral (
           select ${INTENT_COLUMNS_AS_SEEN} from payment_intents i
            where i.intent_id = batch.intent_id and claimed.ordinal is not null offset 0
         ) as found on true
   order by ordinal`;

export function createSignedReads(
  database: Queryable,
  environment: string,
): (caller: SignedCaller, intentId: IntentId) => Promise<SignedRead> {
  const readTogether = createBatching((reads: readonly Read[]) =>
    readRows<ReadRow>(database, {
      name: 'find-signed',
      text: READ,
      values: [
        environment,
        ...nonceColumns(reads.map(({ caller }) => caller)),
        ...listsOf(reads, 'intentId'),
      ],
    }),
  );
  return async (caller, intentId) => {
    const row = await readTogether({ caller, intentId });
    const intent = row.intent_id === null ? undefined : toPaymentIntent(row);
    return { nonce: row.nonce_claim, intent };
  };
}
