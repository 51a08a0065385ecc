// Port replay-guard over Postgres: the nonces of all who wait are recorded by one statement (decision 121).
import type { ReplayGuard, SignedCaller } from '../ports/replay-guard';
import type { Queryable } from './database';
import { createGathering } from './gathering';
import { claimNonces, NONCE_CLAIM, nonceColumns, type NonceClaimRow } from './nonce';

const CLAIM = `
  with ${claimNonces()}
  select ${NONCE_CLAIM} from judged left join claimed using (place) order by place`;

export function createReplayGuard(database: Queryable, environment: string): ReplayGuard {
  const claimTogether = createGathering(async (callers: readonly SignedCaller[]) => {
    const { rows } = await database.query<NonceClaimRow>({
      name: 'claim-nonces',
      text: CLAIM,
      values: [environment, ...nonceColumns(callers)],
    });
    return rows;
  });
  return { claimNonce: async (caller) => (await claimTogether(caller)).nonce_claim };
}
