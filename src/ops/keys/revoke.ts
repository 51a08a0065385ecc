// `payctl keys revoke`: ends a signing key at once and for good.
import { readRows, type Database, type Queryable } from '../../postgres/database';
import { recordLines } from '../layout';
import { changeDirectory } from '../partners/directory-change';
import { printNotice } from '../print';
import { Rejection } from '../rejection';
import { verb } from '../verb';
import { readKeys } from './signing-keys';

export const revoke = verb('revoke <key_id>', {
  does: 'Revoke a signing key at once and for good. A repeat changes nothing.',
  work(keyId: string) {
    return async ({ database }) => {
      const { key_id, status, partnerId, activeKeysLeft } = await revokeKey(database, keyId);
      if (activeKeysLeft === 0) {
        printNotice(
          `Partner ${partnerId} has no active key left and cannot sign a request. Issue one: payctl keys issue ${partnerId}.`,
        );
      }
      return { key_id, status };
    };
  },
  lines: (revoked) => recordLines(revoked),
});

interface RevokedKey {
  readonly key_id: string;
  readonly status: 'revoked';
  readonly partnerId: string;
  /** How many keys the partner can still sign with. */
  readonly activeKeysLeft: number;
}

/** A key that is already revoked stays as it is. @throws Rejection if there is no such key */
export async function revokeKey(database: Database, keyId: string): Promise<RevokedKey> {
  return changeDirectory(database, async (connection) => {
    const { partnerId, isRevoked } = await findKey(connection, keyId);
    if (!isRevoked) await markRevoked(connection, keyId);
    const keys = await readKeys(connection, partnerId);
    const activeKeysLeft = keys.filter(({ status }) => status === 'active').length;
    return { key_id: keyId, status: 'revoked', partnerId, activeKeysLeft };
  });
}

interface FoundKey {
  readonly partnerId: string;
  readonly isRevoked: boolean;
}

async function findKey(connection: Queryable, keyId: string): Promise<FoundKey> {
  const [key] = await readRows<FoundKey>(connection, {
    text: `select partner_id as "partnerId", revoked_at is not null as "isRevoked"
             from signing_keys where key_id = $1`,
    values: [keyId],
  });
  if (key === undefined) throw new Rejection(`There is no key ${keyId}.`);
  return key;
}

async function markRevoked(connection: Queryable, keyId: string): Promise<void> {
  await connection.query({
    text: `update signing_keys set revoked_at = least(service_now(), revokes_at)
            where key_id = $1 and revoked_at is null`,
    values: [keyId],
  });
}
