// The watch over the holding account: its balance as a metric, and one log line each time it falls
// below the threshold, however many payments are made meanwhile (architecture, section 5).
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../ports/log';
import type { HoldingAccountMetrics } from '../../ports/metrics';
import type { Queryable } from '../database';
import { readHoldingAccountBalance } from './holding-account';

interface HoldingAccountWatch {
  /** Reads the balance once, and updates the metric and the log. Never throws. */
  poll(): Promise<void>;
  /** Repeats `poll` until the signal is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

interface HoldingAccountWatchOptions {
  readonly database: Queryable;
  readonly lowUsdCents: number;
  readonly metrics: HoldingAccountMetrics;
  readonly log: Log;
}

const READ_EVERY_MS = 10_000;

export function createHoldingAccountWatch(
  options: HoldingAccountWatchOptions,
): HoldingAccountWatch {
  const { database, lowUsdCents, metrics, log } = options;
  let isLow = false;
  const logChange = (balanceUsdCents: number) => {
    const wasLow = isLow;
    isLow = balanceUsdCents < lowUsdCents;
    if (isLow === wasLow) return;
    const fields = { balance_usd_cents: balanceUsdCents, low_usd_cents: lowUsdCents };
    if (isLow) log.warn(fields, 'the holding account runs low');
    else log.info(fields, 'the holding account no longer runs low');
  };
  const poll = async () => {
    try {
      const balanceUsdCents = await readHoldingAccountBalance(database);
      metrics.holdingBalanceRead(balanceUsdCents);
      logChange(balanceUsdCents);
    } catch (error) {
      metrics.holdingBalanceRead(null);
      log.warn({ err: error }, 'the holding balance could not be read; it is read again in 10 s');
    }
  };
  return {
    poll,
    async run(stop) {
      while (!stop.aborted) {
        await poll();
        await pause(READ_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}
