// `payctl payouts show | stop | allow` (decision 127): the stop of all payouts, with who, when and why.
import type { Database } from '../../postgres/database';
import {
  allowPayouts,
  createPayoutStops,
  listPayoutStops,
  type Allowance,
  type PayoutStop,
  type PayoutStopping,
} from '../../postgres/payouts/stops';
import { Rejection } from '../rejection';

/** The stops, in force first. */
export async function stopAllPayouts(
  database: Database,
  stopping: PayoutStopping,
): Promise<readonly PayoutStop[]> {
  await createPayoutStops(database).stop(stopping);
  return listPayoutStops(database);
}

/** Those that it has ended. @throws Rejection when payouts are not stopped, or because a database was put back */
export async function allowAllPayouts(
  database: Database,
  allowance: Allowance,
): Promise<readonly PayoutStop[]> {
  const ended = await allowPayouts(database, allowance);
  if (ended.length > 0) return ended;
  const inForce = (await listPayoutStops(database)).find(
    ({ ended_at: endedAt }) => endedAt === null,
  );
  if (inForce === undefined) throw new Rejection('Payouts are not stopped. Nothing was changed.');
  throw new Rejection(
    'A database was put back, and payouts are stopped for that: "payctl payouts show". Once you have compared (docs/restore.md), --after-restore allows them. Nothing was changed.',
  );
}
