// Port replay-guard over Postgres.
import type { ReplayGuard } from '../ports/replay-guard';
import type { Queryable } from './database';
import { CLAIM_NONCE, claimNonceValues } from './nonce';

export function createReplayGuard(database: Queryable, environment: string): ReplayGuard {
  return {
    async claimNonce(caller) {
      const { rows } = await database.query({
        name: 'claim-nonce',
        text: `with ${CLAIM_NONCE} select from nonce`,
        values: [...claimNonceValues(caller, environment)],
      });
      return rows.length === 1;
    },
  };
}
