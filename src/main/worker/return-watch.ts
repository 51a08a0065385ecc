// Queries captured payouts, because money may come back days later, and declined ones, because a
// provider may revoke that (decision 152). It raises attention and moves no money: a refund by an
// operator books what came back.
import { setTimeout as pause } from 'node:timers/promises';
import { CORRIDORS, type Corridor } from '../../corridors/names';
import type { Log } from '../../ports/observe';
import type { PaidAsks, PaidPayout } from '../../ports/payouts';
import type { Accounts } from '../../../activities/accounts';
import { query } from '../../../activities/payout-decision';

interface ReturnWatchOptions extends Accounts {
  readonly asks: PaidAsks;
  /** Of one corridor, by this worker. */
  readonly queriesPerSecond: number;
  readonly log: Log;
}

interface ReturnWatch {
  /** Queries the payouts of a corridor that are due, and records the answers. */
  poll(corridor: Corridor): Promise<void>;
  /** Polls each corridor until the signal is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

const POLL_EVERY_MS = 1_000;

export function createReturnWatch(options: ReturnWatchOptions): ReturnWatch {
  const { asks, queriesPerSecond, log } = options;
  const failed =
    ({ intentId }: PaidPayout) =>
    (error: unknown) => {
      log.warn(
        { err: error, intent_id: intentId },
        'a captured payout was not queried; tried again',
      );
    };
  const poll = async (corridor: Corridor) => {
    const due = await asks.claimDue(corridor, queriesPerSecond);
    await Promise.all(due.map((payout) => ask(payout, options).catch(failed(payout))));
  };
  const runCorridor = async (corridor: Corridor, stop: AbortSignal) => {
    while (!stop.aborted) {
      await poll(corridor).catch((error: unknown) => {
        log.warn({ err: error, corridor }, 'captured payouts were not queried; tried again');
      });
      await pause(POLL_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  };
  return {
    poll,
    async run(stop) {
      await Promise.all(CORRIDORS.map((corridor) => runCorridor(corridor, stop)));
    },
  };
}

async function ask(
  payout: PaidPayout,
  { asks, ...accounts }: Accounts & Pick<ReturnWatchOptions, 'asks'>,
): Promise<void> {
  const { answer, abilities } = await query(payout, accounts);
  const { askAfterPaidDays } = accounts.providers[payout.corridor].abilities;
  const afterDeclineDays = abilities.declineIsFinal ? 0 : 1;
  const forDays = payout.isDeclined ? afterDeclineDays : askAfterPaidDays;
  await asks.finish(payout.intentId, answer.outcome, forDays);
}
