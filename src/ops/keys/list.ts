// `payctl keys list`: the signing keys of a partner.
import type { Queryable } from '../../postgres/database';
import { tableOr } from '../layout';
import { requirePartner } from '../partners/known-partner';
import { verb } from '../verb';
import { keyRow, readKeys, toListed, type ListedKey } from './signing-keys';

export const list = verb('list <partner>', {
  does: "List a partner's signing keys, oldest first. revokes_at is when an active key will end, or when a revoked one ended, by hand or by itself; last_used_at is accurate to an hour.",
  work(partnerId: string) {
    return ({ database }) => listKeys(database, partnerId);
  },
  lines: (keys, [partnerId]) => tableOr(keys.map(keyRow), `Partner ${partnerId} has no keys.`),
});

/** Oldest first. @throws Rejection if the partner is unknown */
export async function listKeys(
  database: Queryable,
  partnerId: string,
): Promise<readonly ListedKey[]> {
  await requirePartner(database, partnerId);
  return (await readKeys(database, partnerId)).map(toListed);
}
