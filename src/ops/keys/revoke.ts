// `payctl keys revoke`: ends a signing key at once and for good.
import { readRows, type Database, type Queryable } from '../../postgres/database';
import { decide } from '../../postgres/approvals/decide';
import type { Operator } from '../audit-trail';
import { requireConsent, yesFor, type Consent } from '../consent';
import { recordLines } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { changeDirectory } from '../partners/directory-change';
import { printNotice } from '../print';
import { Rejection } from '../rejection';
import { verb } from '../verb';
import { readKeys } from './signing-keys';

export const revoke = verb('revoke <key_id>', {
  does: 'Revoke a signing key at once and for good. A repeat changes nothing.',
  options: [yesFor('that the partner has no other active key'), REASON, AS],
  work(keyId: string, options: OperatorOptions & Consent) {
    const operator = operatorOf(options);
    return async ({ database }) => {
      const revoked = await revokeKey(database, keyId, operator, options);
      const { key_id, status, partnerId, activeKeysLeft } = revoked;
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

/**
 * A key that is already revoked stays as it is.
 * @throws Rejection if there is no such key, or no other active one and no consent
 */
export async function revokeKey(
  database: Database,
  keyId: string,
  operator: Operator,
  consent: Consent = {},
) {
  return changeDirectory(database, async (connection) => {
    const { partnerId, isRevoked } = await findKey(connection, keyId);
    if (!isRevoked) {
      const { actor, reason } = operator;
      const given = { partner_id: partnerId, key_id: keyId, reason, details: `key ${keyId}` };
      await decide(connection, { verb: 'keys revoke', given, actor });
    }
    const keys = await readKeys(connection, partnerId);
    const activeKeysLeft = keys.filter(({ status }) => status === 'active').length;
    if (!isRevoked && activeKeysLeft === 0) {
      requireConsent(consent, `${keyId} is the last active key of ${partnerId}.`);
    }
    return { key_id: keyId, status: 'revoked', partnerId, activeKeysLeft } as const;
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
