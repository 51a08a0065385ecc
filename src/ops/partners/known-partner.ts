// Finds the partner that a command names, or rejects the command.
import { readRows, type Queryable } from '../../postgres/database';
import type { PartnerEnvironment } from './options';
import { Rejection } from '../rejection';

/** @returns its environment. @throws Rejection if there is no such partner */
export async function requirePartner(
  database: Queryable,
  partnerId: string,
): Promise<PartnerEnvironment> {
  const [partner] = await readRows<{ readonly environment: PartnerEnvironment }>(database, {
    text: `select environment from partners where partner_id = $1`,
    values: [partnerId],
  });
  if (partner === undefined) throw noPartner(partnerId);
  return partner.environment;
}

export function noPartner(partnerId: string): Rejection {
  return new Rejection(`There is no partner ${partnerId}.`);
}
