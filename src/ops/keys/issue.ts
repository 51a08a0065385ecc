// `payctl keys issue`: the next signing key of a partner (protocol 3.6).
import { ACTIVE_SIGNING_KEYS_MAX } from '../../domain/limits';
import { violatedConstraint, type Queryable } from '../../postgres/database';
import { decide, shownOnce } from '../../postgres/approvals/decide';
import type { Operator } from '../audit-trail';
import { recordAndSentences } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { changeDirectory } from '../partners/directory-change';
import { requirePartner } from '../partners/known-partner';
import { Rejection } from '../rejection';
import type { SecretTools } from '../session';
import { databaseTime } from '../system-time';
import { verb } from '../verb';
import { nextKeyId } from './key-ids';
import { makeSigningSecret, secretSentence } from './secrets';
import { readKeys, toListed, type ListedKey } from './signing-keys';

export const issue = verb('issue <partner>', {
  does: "Issue a partner's next signing key. Its secret is printed only once. Older keys end 14 days later, unless they end before; at most 3 keys are active at once.",
  options: [REASON, AS],
  work(partnerId: string, options: OperatorOptions) {
    const operator = operatorOf(options);
    return (session) => issueKey(session, partnerId, operator);
  },
  json: ({ key_id, signing_secret }) => ({ key_id, signing_secret }),
  lines: ({ key_id, signing_secret, older }) =>
    recordAndSentences({ key_id, signing_secret }, [
      secretSentence('The secret', signing_secret),
      ...older.map((key) => {
        return `${key.key_id} stops working at ${key.revokes_at?.toISOString() ?? 'no set time'}.`;
      }),
    ]),
});

interface IssuedKey {
  readonly key_id: string;
  /** Null if the command that asked for the key has printed it. */
  readonly signing_secret: string | null;
  /** The partner's other active keys, each with its end. */
  readonly older: readonly ListedKey[];
}

/** @throws Rejection if the partner is unknown, or has the maximum number of active keys */
export async function issueKey(
  { database, seal }: SecretTools,
  partnerId: string,
  operator: Operator,
): Promise<IssuedKey> {
  const secret = makeSigningSecret();
  const insert = async (connection: Queryable) => {
    const environment = await requirePartner(connection, partnerId);
    const keys = await readKeys(connection, partnerId);
    const active = keys.filter(({ status }) => status === 'active');
    if (active.length >= ACTIVE_SIGNING_KEYS_MAX) throw tooManyKeys(partnerId, active);
    const issued = keys.map(({ key_id }) => key_id);
    const now = await databaseTime(connection);
    const keyId = nextKeyId({ partnerId, environment, issued, now });
    const details = `key ${keyId}`;
    const done = await decide(connection, {
      ...{ verb: 'keys issue', actor: operator.actor },
      given: { partner_id: partnerId, key_id: keyId, reason: operator.reason, details },
      ...{ secrets: { key_id: keyId, signing_secret: secret } },
      sealed: { signing: seal.seal(secret, keyId).toString('hex') },
    });
    const older = await readKeys(connection, partnerId);
    return {
      key_id: keyId,
      signing_secret: shownOnce(done, secret),
      older: older.filter((key) => key.status === 'active' && key.key_id !== keyId).map(toListed),
    };
  };
  return changeDirectory(database, insert).catch((error: unknown) =>
    rejectDuplicate(error, partnerId),
  );
}

function tooManyKeys(partnerId: string, keys: readonly ListedKey[]): Rejection {
  const names = keys.map(({ key_id }) => key_id).join(', ');
  return new Rejection(
    `Partner ${partnerId} has ${keys.length} active keys, which is the maximum: ${names}. ${nextEnd(keys)} To make room now, revoke one: payctl keys revoke KEY_ID.`,
  );
}

function nextEnd(keys: readonly ListedKey[]): string {
  const [next] = keys
    .flatMap(({ key_id, revokes_at }) => (revokes_at === null ? [] : [{ key_id, revokes_at }]))
    .sort((one, other) => one.revokes_at.getTime() - other.revokes_at.getTime());
  return next === undefined
    ? 'None of them ends by itself.'
    : `The next to end by itself is ${next.key_id}, at ${next.revokes_at.toISOString()}.`;
}

/** A writer that ignores the lock can come in between. Then the constraints reject the key. */
function rejectDuplicate(error: unknown, partnerId: string): never {
  const constraint = violatedConstraint(error);
  if (constraint === 'signing_keys_three_active' || constraint === 'signing_keys_pkey') {
    throw new Rejection(
      `The keys of partner ${partnerId} were changed by another command at the same time. Nothing was issued. Check them with "payctl keys list ${partnerId}", and repeat.`,
      { cause: error },
    );
  }
  throw error;
}
