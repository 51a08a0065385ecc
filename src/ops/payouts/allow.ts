// `payctl payouts allow`: lifts all stops, those for a restore only with --after-restore.
import type { Database } from '../../postgres/database';
import {
  allowPayouts,
  listPayoutStops,
  type Allowance,
  type PayoutStop,
} from '../../postgres/payouts/stops';
import { AS, REASON_REQUIRED, reasonedOperatorOf, type ReasonedOptions } from '../operator';
import { Rejection } from '../rejection';
import { option, verb } from '../verb';
import { inForce, stopLines } from './stop-lines';

interface AllowOptions extends ReasonedOptions {
  readonly afterRestore?: boolean;
}

export const allow = verb('allow', {
  does: 'Lift all stops. If one of them was caused by a restore, it lifts none without --after-restore. Waiting payments continue within a minute. Run "payctl payouts show" first.\nDanger: double payment. Give --after-restore only once you have compared (docs/restore.md).',
  options: [
    REASON_REQUIRED,
    option('--after-restore', 'also lift stops that a restore has caused'),
    AS,
  ],
  work({ afterRestore: isAfterRestore = false, ...options }: AllowOptions) {
    const allowance = { ...reasonedOperatorOf(options), isAfterRestore };
    return ({ database }) => allowAllPayouts(database, allowance);
  },
  lines: (lifted) => stopLines(lifted, 'Payouts are allowed again.'),
});

/**
 * @returns the stops that this call has lifted
 * @throws Rejection if payouts are not stopped, or are stopped for a restore
 */
async function allowAllPayouts(
  database: Database,
  allowance: Allowance,
): Promise<readonly PayoutStop[]> {
  const lifted = await allowPayouts(database, allowance);
  if (lifted.length > 0) return lifted;
  if (!(await listPayoutStops(database)).some(inForce)) {
    throw new Rejection('Payouts are not stopped. Nothing was changed.');
  }
  throw new Rejection(
    'Payouts are stopped because a database was restored, or may have been: see "payctl payouts show". Once you have compared (docs/restore.md), --after-restore allows them. Nothing was changed.',
  );
}
