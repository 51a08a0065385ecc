// Port replay-guard over Postgres.
import type { ReplayGuard } from '../ports/replay-guard';
import type { Queryable } from './database';
import { CLAIM_NONCE, claimNonceValues, NONCE_CLAIM, type NonceClaimRow } from './nonce';

export function createReplayGuard(database: Queryable, environment: string): ReplayGuard {
  return {
    async claimNonce(caller) {
      const { rows } = await database.query<NonceClaimRow>({
        name: 'claim-nonce',
        text: `with ${CLAIM_NONCE} select ${NONCE_CLAIM}`,
        values: [...claimNonceValues(caller, environment)],
      });
      return rows[0]?.nonce_claim ?? 'withdrawn';
    },
  };
}
