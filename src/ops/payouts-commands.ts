// `payctl payouts show | stop | allow`: arguments, help, and what is printed.
import type { Command } from 'commander';
import { PAYOUT_ATTEMPT_WHOLE_SECONDS } from '../domain/limits';
import { listPayoutStops, type PayoutStop } from '../postgres/payout-stops';
import { toTheSecond, WIDTH, wrapped } from './layout';
import { AS_OPTION, REASON_OPTION, reasonedOperatorOf, type ReasonedOptions } from './operator';
import { allowAllPayouts, stopAllPayouts } from './payout-stops';
import { printStory } from './print';
import { inSession } from './session';

interface Printing {
  readonly json?: boolean;
}

interface Ordering extends Printing, ReasonedOptions {
  readonly afterRestore?: boolean;
}

export function addPayoutsCommands(payctl: Command): void {
  const payouts = payctl
    .command('payouts')
    .description('Stop all payouts, and allow them again. Nothing else is held up by it.');
  payouts
    .command('show')
    .description('Show whether payouts are stopped, since when, by whom and why.')
    .option('--json', 'print JSON')
    .action(runShow);
  payouts
    .command('stop')
    .description(
      'Send no payout any more until they are allowed again. Payments wait where they are; what was sent before is still asked about and captured.',
    )
    .requiredOption(...REASON_OPTION)
    .option(
      '--after-restore',
      'because a database was put back: only "allow --after-restore" ends it (docs/restore.md)',
    )
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runStop);
  payouts
    .command('allow')
    .description('End every stop, whoever made it. Payments that wait go on within a minute.')
    .requiredOption(...REASON_OPTION)
    .option(
      '--after-restore',
      'also what was stopped because a database was put back: once you have compared (docs/restore.md)',
    )
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runAllow);
}

async function runShow({ json }: Printing): Promise<void> {
  const stops = await inSession(({ database }) => listPayoutStops(database));
  printStory(stops, json === true, () => linesOf(stops, standingOf(stops)));
}

function standingOf(stops: readonly PayoutStop[]): string {
  const inForce = stops.filter(({ ended_at: endedAt }) => endedAt === null);
  if (inForce.length === 0) return 'Payouts are allowed.';
  return inForce.some(({ kind }) => kind !== 'operator')
    ? 'Payouts are stopped, because a database was put back. Do not allow them yet: see docs/restore.md, "Payouts stopped by themselves" if nobody has stopped them for that.'
    : 'Payouts are stopped: none is sent until "payctl payouts allow".';
}

async function runStop(options: Ordering): Promise<void> {
  const stopping = {
    ...reasonedOperatorOf(options),
    kind: options.afterRestore === true ? ('restore' as const) : ('operator' as const),
  };
  const stops = await inSession(({ database }) => stopAllPayouts(database, stopping));
  printStory(stops, options.json === true, () =>
    linesOf(
      stops,
      `Payouts are stopped. An attempt that had begun may still send for ${PAYOUT_ATTEMPT_WHOLE_SECONDS} s.`,
    ),
  );
}

async function runAllow(options: Ordering): Promise<void> {
  const allowance = {
    ...reasonedOperatorOf(options),
    isAfterRestore: options.afterRestore === true,
  };
  const ended = await inSession(({ database }) => allowAllPayouts(database, allowance));
  printStory(ended, options.json === true, () => linesOf(ended, 'Payouts are allowed again.'));
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
