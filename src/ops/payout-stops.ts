// `payctl payouts show | stop | allow` (decision 127): the stop of all payouts, with who, when and why.
import type { Database } from '../postgres/database';
import {
  allowPayouts,
  createPayoutStops,
  listPayoutStops,
  type PayoutStop,
} from '../postgres/payout-stops';
import { Refusal } from './refusal';

interface Ordered {
  readonly actor: string;
  readonly reason: string;
}

/** The stops, in force first. */
export async function stopAllPayouts(
  database: Database,
  ordered: Ordered,
): Promise<readonly PayoutStop[]> {
  await createPayoutStops(database).stop(ordered);
  return listPayoutStops(database);
}

/** Those that it has ended. @throws Refusal when payouts are not stopped */
export async function allowAllPayouts(
  database: Database,
  ordered: Ordered,
): Promise<readonly PayoutStop[]> {
  const ended = await allowPayouts(database, ordered);
  if (ended.length === 0) throw new Refusal('Payouts are not stopped. Nothing was changed.');
  return ended;
}
