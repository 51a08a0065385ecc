// Whether a process has the key that the stored signing secrets are sealed under.
import type { SecretSeal } from '../../signing/sealed-secret';
import { readRows, type Queryable } from '../database';

/** A damaged secret is alone; a wrong key opens none. */
const SECRETS_MAX = 10;

/** False if there are active signing keys, and none of the oldest opens. */
export async function opensStoredSecrets(
  connection: Queryable,
  seal: SecretSeal,
): Promise<boolean> {
  const rows = await readRows<{ readonly keyId: string; readonly sealed: Buffer }>(connection, {
    text: `select key_id as "keyId", secret_sealed as sealed from signing_keys
            where revoked_at is null order by created_at limit $1`,
    values: [SECRETS_MAX],
  });
  return rows.length === 0 || rows.some(({ keyId, sealed }) => seal.opens(sealed, keyId));
}
