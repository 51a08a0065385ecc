// `payctl keys issue | list | revoke`: the life of a signing key (protocol 3.6).
import { ACTIVE_SIGNING_KEYS_MAX, ROTATION_OVERLAP_SECONDS } from '../../domain/limits';
import { violatedConstraint, type Database, type Queryable } from '../../postgres/database';
import type { SecretSeal } from '../../signing/sealed-secret';
import { changeDirectory } from '../partners/directory-change';
import { nextKeyId } from './key-ids';
import { requirePartner } from '../partners/known-partner';
import { Rejection } from '../rejection';
import { makeSigningSecret } from './secrets';
import { databaseTime } from '../system-time';

export interface ListedKey {
  readonly key_id: string;
  readonly status: 'active' | 'revoked';
  /** When the key ends, or when it ended; null while no end is set. */
  readonly revokes_at: Date | null;
}

export interface IssuedKey {
  readonly key_id: string;
  readonly signing_secret: string;
  /** The partner's other active keys, each with its end. */
  readonly older: readonly ListedKey[];
}

interface KeyTools {
  readonly database: Database;
  readonly seal: SecretSeal;
}

/** @throws Rejection when the partner is unknown, or holds as many active keys as it may. */
export async function issueKey(
  { database, seal }: KeyTools,
  partnerId: string,
): Promise<IssuedKey> {
  const secret = makeSigningSecret();
  const issue = async (connection: Queryable) => {
    const environment = await requirePartner(connection, partnerId);
    await freeEndedSlots(connection, partnerId);
    const keys = await readKeys(connection, partnerId);
    const holding = keys.filter(({ holds_slot }) => holds_slot);
    if (holding.length >= ACTIVE_SIGNING_KEYS_MAX) throw tooManyKeys(partnerId, holding);
    await endOlderKeys(connection, partnerId);
    const issued = keys.map(({ key_id }) => key_id);
    const now = await databaseTime(connection);
    const keyId = nextKeyId({ partnerId, environment, issued, now });
    const sealedSecret = seal.seal(secret, keyId);
    await insertSigningKey(connection, { keyId, partnerId, environment, sealedSecret });
    const older = await readKeys(connection, partnerId);
    return {
      key_id: keyId,
      signing_secret: secret,
      older: older.filter((key) => key.status === 'active' && key.key_id !== keyId).map(toListed),
    };
  };
  return changeDirectory(database, issue).catch((error: unknown) =>
    rejectDuplicate(error, partnerId),
  );
}

/** Oldest first. @throws Rejection when the partner is unknown. */
export async function listKeys(
  database: Queryable,
  partnerId: string,
): Promise<readonly ListedKey[]> {
  await requirePartner(database, partnerId);
  return (await readKeys(database, partnerId)).map(toListed);
}

export interface RevokedKey {
  readonly key_id: string;
  readonly status: 'revoked';
  readonly partnerId: string;
  /** How many keys the partner can still sign with. */
  readonly activeKeysLeft: number;
}

/** A key that is revoked already stays as it is. @throws Rejection when there is no such key. */
export async function revokeKey(database: Database, keyId: string): Promise<RevokedKey> {
  return changeDirectory(database, async (connection) => {
    const { partnerId, isRevoked } = await findKey(connection, keyId);
    if (!isRevoked) await revoke(connection, keyId);
    const keys = await readKeys(connection, partnerId);
    const activeKeysLeft = keys.filter(({ status }) => status === 'active').length;
    return { key_id: keyId, status: 'revoked', partnerId, activeKeysLeft };
  });
}

interface NewKey {
  readonly keyId: string;
  readonly partnerId: string;
  readonly environment: string;
  readonly sealedSecret: Buffer;
}

/** Into the lowest free slot of the partner (migration 0001). */
export async function insertSigningKey(connection: Queryable, key: NewKey): Promise<void> {
  await connection.query({
    text: `insert into signing_keys (key_id, partner_id, environment, secret_sealed, slot)
           select $1, $2, $3, $4, min(slot) from generate_series(1, $5) as slot
            where slot not in (select k.slot from signing_keys k
                                where k.partner_id = $2 and k.revoked_at is null)`,
    values: [key.keyId, key.partnerId, key.environment, key.sealedSecret, ACTIVE_SIGNING_KEYS_MAX],
  });
}

async function findKey(connection: Queryable, keyId: string) {
  const { rows } = await connection.query<{
    readonly partnerId: string;
    readonly isRevoked: boolean;
  }>({
    text: `select partner_id as "partnerId", revoked_at is not null as "isRevoked" from signing_keys where key_id = $1`,
    values: [keyId],
  });
  if (rows[0] === undefined) throw new Rejection(`There is no key ${keyId}.`);
  return rows[0];
}

interface KeyRow extends ListedKey {
  readonly holds_slot: boolean;
}

async function readKeys(connection: Queryable, partnerId: string): Promise<readonly KeyRow[]> {
  const { rows } = await connection.query<KeyRow>({
    text: `select key_id, revoked_at is null as holds_slot,
                  least(revoked_at, revokes_at) as revokes_at,
                  case when revoked_at is null and (revokes_at is null or revokes_at > service_now())
                       then 'active' else 'revoked' end as status
             from signing_keys
            where partner_id = $1
            order by created_at, key_id collate "C"`,
    values: [partnerId],
  });
  return rows;
}

/** A key whose time is over is revoked from then on, and its slot is free. */
async function freeEndedSlots(connection: Queryable, partnerId: string): Promise<void> {
  await connection.query({
    text: `update signing_keys set revoked_at = revokes_at
            where partner_id = $1 and revoked_at is null and revokes_at <= service_now()`,
    values: [partnerId],
  });
}

/** "Old and new keys are both valid during the transition. After 14 days the old key is revoked." */
async function endOlderKeys(connection: Queryable, partnerId: string): Promise<void> {
  await connection.query({
    text: `update signing_keys set revokes_at = service_now() + make_interval(secs => $2)
            where partner_id = $1 and revoked_at is null and revokes_at is null`,
    values: [partnerId, ROTATION_OVERLAP_SECONDS],
  });
}

async function revoke(connection: Queryable, keyId: string): Promise<void> {
  await connection.query({
    text: `update signing_keys set revoked_at = least(service_now(), revokes_at)
            where key_id = $1 and revoked_at is null`,
    values: [keyId],
  });
}

function toListed({ key_id, status, revokes_at }: KeyRow): ListedKey {
  return { key_id, status, revokes_at };
}

function tooManyKeys(partnerId: string, keys: readonly ListedKey[]): Rejection {
  const names = keys.map(({ key_id }) => key_id).join(', ');
  return new Rejection(
    `Partner ${partnerId} holds ${keys.length} active keys, which is the most it may: ${names}. ${nextEnd(keys)} To make room now, revoke one: payctl keys revoke KEY_ID.`,
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

/** Somebody who does not take the lock came in between: the constraints have the last word. */
function rejectDuplicate(error: unknown, partnerId: string): never {
  const constraint = violatedConstraint(error);
  if (constraint === 'signing_keys_three_active' || constraint === 'signing_keys_pkey') {
    throw new Rejection(
      `The keys of partner ${partnerId} were changed by somebody else at the same moment. Nothing was issued: look at them with payctl keys list ${partnerId}, and repeat.`,
      { cause: error },
    );
  }
  throw error;
}
