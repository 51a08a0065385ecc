// Finds the partner that a command names, or rejects the command.
import type { Queryable } from '../../postgres/database';
import type { PartnerEnvironment } from './options';
import { Rejection } from '../rejection';

/** @returns its environment. @throws Rejection if there is no such partner */
export async function requirePartner(
  database: Queryable,
  partnerId: string,
): Promise<PartnerEnvironment> {
  const { rows } = await database.query<{ readonly environment: PartnerEnvironment }>({
    text: `select environment from partners where partner_id = $1`,
    values: [partnerId],
  });
  if (rows[0] === undefined) throw noPartner(partnerId);
  return rows[0].environment;
}

export function noPartner(partnerId: string): Rejection {
  return new Rejection(`There is no partner ${partnerId}.`);
}
