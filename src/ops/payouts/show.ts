// `payctl payouts show`: whether payouts are stopped, since when, by whom and why.
import { countDelayed, listPayoutStops, type PayoutStop } from '../../postgres/payouts/stops';
import { verb } from '../verb';
import { inForce, stopLines } from './stop-lines';

export const show = verb('show', {
  does: 'Show whether payouts are stopped, since when, by whom and why, and how many payments wait.',
  work() {
    return async ({ database }): Promise<Stops> => {
      const stops = await listPayoutStops(database);
      return { stops, waiting: await countDelayed(database) };
    };
  },
  lines: (answer) => stopLines(answer.stops, currentStateOf(answer)),
});

/** The JSON shape that programs rely on. */
interface Stops {
  readonly stops: readonly PayoutStop[];
  /** How many authorized payments have no payout yet. */
  readonly waiting: number;
}

function currentStateOf({ stops, waiting }: Stops): string {
  const current = stops.filter(inForce);
  if (current.length === 0) return 'Payouts are allowed.';
  const state = current.some(({ kind }) => kind !== 'operator')
    ? 'Payouts are stopped, because a database was restored, or may have been. Do not allow them yet: see docs/restore.md, "Payouts stopped by themselves" if no operator stopped them for that.'
    : 'Payouts are stopped: none is sent until "payctl payouts allow".';
  return `${state} Payments that wait: ${waiting}.`;
}
