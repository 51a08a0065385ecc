// The rows of signing keys, as several commands read and write them (protocol 3.6).
import { readRows, type Queryable } from '../../postgres/database';
import { toTheSecond } from '../layout';

/** The JSON shape that programs rely on. */
export interface ListedKey {
  readonly key_id: string;
  readonly status: 'active' | 'revoked';
  /** When an active key will end, or when a revoked one ended; null while no end is set. */
  readonly revokes_at: Date | null;
  /** When it last made a signature that was accepted, accurate to an hour; null if never. */
  readonly last_used_at: Date | null;
}

interface KeyRow extends ListedKey {
  readonly holds_slot: boolean;
}

/** Oldest first. */
export function readKeys(connection: Queryable, partnerId: string): Promise<readonly KeyRow[]> {
  return readRows(connection, {
    text: `select key_id, revoked_at is null as holds_slot,
                  least(revoked_at, revokes_at) as revokes_at,
                  case when revoked_at is null
                        and (revokes_at is null or revokes_at > service_now())
                       then 'active' else 'revoked' end as status,
                  used_at as last_used_at
             from signing_keys left join signing_key_uses using (key_id)
            where partner_id = $1
            order by created_at, key_id collate "C"`,
    values: [partnerId],
  });
}

export function toListed({ key_id, status, revokes_at, last_used_at }: KeyRow): ListedKey {
  return { key_id, status, revokes_at, last_used_at };
}

/** For people. */
export function keyRow({ revokes_at: end, last_used_at: use, ...key }: ListedKey): object {
  return { ...key, revokes_at: end && toTheSecond(end), last_used_at: use && toTheSecond(use) };
}
