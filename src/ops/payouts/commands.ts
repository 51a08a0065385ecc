// `payctl payouts show | stop | allow`: arguments, help, and what is printed.
import { PAYOUT_SENT_WITHIN_MS } from '../../domain/limits';
import { listPayoutStops, type PayoutStop } from '../../postgres/payouts/stops';
import { toTheSecond, WIDTH, wrapped } from '../layout';
import { AS, REASON_REQUIRED, reasonedOperatorOf, type ReasonedOptions } from '../operator';
import { allowAllPayouts, stopAllPayouts } from './stops';
import { noun, option, verb } from '../verb';

interface Order extends ReasonedOptions {
  readonly afterRestore?: boolean;
}

const show = verb('show', {
  does: 'Show whether payouts are stopped, since when, by whom and why.',
  work() {
    return ({ database }) => listPayoutStops(database);
  },
  lines: (stops) => linesOf(stops, standingOf(stops)),
});

const stop = verb('stop', {
  does: 'Send no payout any more until they are allowed again. Payments wait where they are; what was sent before is still asked about and captured.',
  options: [
    REASON_REQUIRED,
    option(
      '--after-restore',
      'because a database was put back: only "allow --after-restore" ends it (docs/restore.md)',
    ),
    AS,
  ],
  work({ afterRestore, ...options }: Order) {
    const kind = afterRestore === true ? 'restore' : 'operator';
    const stopping = { ...reasonedOperatorOf(options), kind } as const;
    return ({ database }) => stopAllPayouts(database, stopping);
  },
  lines: (stops) =>
    linesOf(
      stops,
      `Payouts are stopped. A sending that was recorded before may still leave for ${PAYOUT_SENT_WITHIN_MS / 1_000} s.`,
    ),
});

const allow = verb('allow', {
  does: 'End every stop, whoever made it. Payments that wait go on within a minute.',
  options: [
    REASON_REQUIRED,
    option(
      '--after-restore',
      'also what was stopped because a database was put back: once you have compared (docs/restore.md)',
    ),
    AS,
  ],
  work({ afterRestore: isAfterRestore = false, ...options }: Order) {
    const allowance = { ...reasonedOperatorOf(options), isAfterRestore };
    return ({ database }) => allowAllPayouts(database, allowance);
  },
  lines: (ended) => linesOf(ended, 'Payouts are allowed again.'),
});

export const addPayoutsCommands = noun(
  'payouts',
  'Stop all payouts, and allow them again. Nothing else is held up by it.',
  [show, stop, allow],
);

function standingOf(stops: readonly PayoutStop[]): string {
  const inForce = stops.filter(({ ended_at: endedAt }) => endedAt === null);
  if (inForce.length === 0) return 'Payouts are allowed.';
  return inForce.some(({ kind }) => kind !== 'operator')
    ? 'Payouts are stopped, because a database was put back. Do not allow them yet: see docs/restore.md, "Payouts stopped by themselves" if nobody has stopped them for that.'
    : 'Payouts are stopped: none is sent until "payctl payouts allow".';
}

function linesOf(stops: readonly PayoutStop[], told: string): readonly string[] {
  return [...stops.map(sentenceOf), told].flatMap((sentence) => wrapped(sentence, WIDTH));
}

const WHY = {
  operator: '',
  restore: 'for a restore ',
  temporal_restore: 'for a restore of Temporal ',
  watch_gap: 'until the books are reconciled ',
} as const;

function sentenceOf({ at, actor, reason, kind, ...end }: PayoutStop) {
  const why = WHY[kind];
  const stopped = `Stopped ${why}at ${toTheSecond(at)} by ${actor}: ${reason}`;
  if (end.ended_at === null) return stopped;
  return `${stopped} - allowed at ${toTheSecond(end.ended_at)} by ${end.ended_by ?? ''}: ${end.ended_reason ?? ''}`;
}
