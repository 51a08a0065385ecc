// Watches the holding account for operations: its balance as a metric, and one line in the log whenever it begins to run
// low, however many payments find it so (architecture, section 5).
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../ports/log';
import type { HoldingAccountMetrics } from '../../ports/metrics';
import type { Queryable } from '../database';
import { readHoldingAccountBalance } from './holding-account';

export interface HoldingAccountWatch {
  /** Reads the balance once. Never throws. */
  look(): Promise<void>;
  /** Looks again and again until the signal is aborted. */
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
  const judge = (balanceUsdCents: number) => {
    const wasLow = isLow;
    isLow = balanceUsdCents < lowUsdCents;
    if (isLow === wasLow) return;
    const fields = { balance_usd_cents: balanceUsdCents, low_usd_cents: lowUsdCents };
    if (isLow) log.warn(fields, 'the holding account runs low');
    else log.info(fields, 'the holding account has enough again');
  };
  const look = async () => {
    try {
      const balanceUsdCents = await readHoldingAccountBalance(database);
      metrics.holdingBalanceRead(balanceUsdCents);
      judge(balanceUsdCents);
    } catch (error) {
      metrics.holdingBalanceRead(null);
      log.warn({ err: error }, 'the holding balance could not be read; the next look tries again');
    }
  };
  return {
    look,
    async run(stop) {
      while (!stop.aborted) {
        await look();
        await pause(READ_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}
