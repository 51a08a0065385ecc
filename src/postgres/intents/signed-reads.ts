// Signed reads: nonces are recorded and the intents read by one statement and one commit (decision 12), for all callers who wait
// for one (decision 121), since another costs both sides as much again.
import type { IntentId } from '../../domain/ids';
import type { SignedRead } from '../../ports/intent-store';
import type { SignedCaller } from '../../ports/replay-guard';
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
 * The nonce waits for this server's disk and for no standby, so that reads go on while one is away (decision 12).
 * Whoever is refused is told nothing of the intent. Rows are found by their keys one by one, and every parameter was parsed or
 * made by us, so that no caller's input can make the statement fail for the others (as LOOK in session-tokens.ts).
 */
const READ = `
  with ${claimNonces({ intent_id: 'text' })},
  durability as materialized (select set_config('synchronous_commit', 'local', true) as level)
  select ${NONCE_CLAIM}, found.*
    from asked
    join durability on durability.level = 'local'
    join judged using (place)
    left join claimed using (place)
    left join lateral (
           select ${INTENT_COLUMNS_AS_SEEN} from payment_intents i
            where i.intent_id = asked.intent_id and claimed.place is not null offset 0
         ) as found on true
   order by place`;

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
