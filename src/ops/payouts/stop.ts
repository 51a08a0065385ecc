// `payctl payouts stop`: no payout is sent until payouts are allowed again.
import { PAYOUT_SENT_WITHIN_MS } from '../../domain/payouts/limits';
import { decide } from '../../postgres/approvals/decide';
import { listPayoutStops } from '../../postgres/payouts/stops';
import { AS, REASON_REQUIRED, reasonedOperatorOf, type ReasonedOptions } from '../operator';
import { option, verb } from '../verb';
import { stopLines } from './stop-lines';

interface StopOptions extends ReasonedOptions {
  readonly afterRestore?: boolean;
}

export const stop = verb('stop', {
  does: 'Send no payout until payouts are allowed again. Payments wait; payouts that were begun before are still queried and captured.',
  options: [
    REASON_REQUIRED,
    option(
      '--after-restore',
      'because a database was restored: only "payctl payouts allow --after-restore" lifts this stop (docs/restore.md)',
    ),
    AS,
  ],
  work({ afterRestore, ...options }: StopOptions) {
    const kind = afterRestore === true ? 'restore' : 'operator';
    const { actor, reason } = reasonedOperatorOf(options);
    return async ({ database }) => {
      await decide(database, { verb: 'payouts stop', given: { reason, kind }, actor });
      return listPayoutStops(database);
    };
  },
  lines: (stops) =>
    stopLines(
      stops,
      `Payouts are stopped. An order that was recorded before may still be sent for ${PAYOUT_SENT_WITHIN_MS / 1_000} s.`,
    ),
});
