// Keeps the scanned code that came with a confirm, before its token is used (decision 20; architecture, section 3,
// "Messages"). The transition that the token authorizes adopts it: see transition-statements.ts.
import type { IntentId } from '../domain/ids';
import type { TokenUse } from '../domain/transition';
import type { Queryable } from './database';

interface KeptRow {
  readonly is_first: boolean;
}

/**
 * The first code of a token stays, whoever asks at the same time; false says that it is another. Only a repeat writes the
 * row again: `do nothing` would neither wait for a first one that is committing nor return it.
 */
export async function keepConfirmPayload(
  database: Queryable,
  intentId: IntentId,
  token: TokenUse,
  qrPayload: string,
): Promise<boolean> {
  const { rows } = await database.query<KeptRow>({
    name: 'keep-confirm-payload',
    text: `
      insert into confirm_payloads as kept (intent_id, jti_hash, qr_payload, expires_at)
      values ($1, decode($2, 'hex'), $3, $4)
          on conflict (intent_id, jti_hash) do update
         set expires_at = greatest(kept.expires_at, excluded.expires_at)
      returning kept.qr_payload = $3 as is_first`,
    values: [intentId, token.jtiHash, qrPayload, new Date(token.expiresAtMs)],
  });
  return rows[0]?.is_first === true;
}
