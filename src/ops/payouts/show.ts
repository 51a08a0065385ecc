// `payctl payouts show`: whether payouts are stopped, since when, by whom and why.
import { listPayoutStops, type PayoutStop } from '../../postgres/payouts/stops';
import { verb } from '../verb';
import { inForce, stopLines } from './stop-lines';

export const show = verb('show', {
  does: 'Show whether payouts are stopped, since when, by whom and why.',
  work() {
    return ({ database }) => listPayoutStops(database);
  },
  lines: (stops) => stopLines(stops, currentStateOf(stops)),
});

function currentStateOf(stops: readonly PayoutStop[]): string {
  const current = stops.filter(inForce);
  if (current.length === 0) return 'Payouts are allowed.';
  return current.some(({ kind }) => kind !== 'operator')
    ? 'Payouts are stopped, because a database was restored, or may have been. Do not allow them yet: see docs/restore.md, "Payouts stopped by themselves" if no operator stopped them for that.'
    : 'Payouts are stopped: none is sent until "payctl payouts allow".';
}
