// The funds-holding account: its funding and balance, the watch over it, and its debits.
import { setTimeout as pause } from 'node:timers/promises';
import { readOne, readRows, type Queryable, type Database } from '../database';
import type { Log, HoldingAccountMetrics } from '../../ports/observe';
import { stepKey } from '../../domain/ids';
import type { FundsAccount } from '../../ports/funds-account';

interface Funding {
  /** The idempotency key, such as `fund:2026-11-21-wire-4711`. */
  readonly key: string;
  readonly amountUsdCents: number;
  readonly actor: string;
}

/** The transfer that the ledger has under a key. */
export interface BookedTransfer {
  readonly amountUsdCents: number;
  readonly actor: string;
  readonly at: Date;
}

/**
 * For a new database; operators fund by a decision.
 * @returns true when this call moved the money, false when an earlier call with the same key did
 */
export async function fundHoldingAccount(database: Queryable, funding: Funding): Promise<boolean> {
  const { key, amountUsdCents, actor } = funding;
  const { isNew } = await readOne<{ readonly isNew: boolean }>(database, {
    text: 'select book_funding($1, $2, $3) as "isNew"',
    values: [key, amountUsdCents, actor],
  });
  return isNew;
}

export async function findTransfer(
  database: Queryable,
  key: string,
): Promise<BookedTransfer | null> {
  const [booked] = await readRows<BookedTransfer>(database, {
    text: `select amount_usd_cents as "amountUsdCents", actor, created_at as at
             from ledger_transfers where transfer_key = $1`,
    values: [key],
  });
  return booked ?? null;
}

/** The balance at one instant. The read waits for no debit. */
export async function readHoldingAccountBalance(database: Queryable): Promise<number> {
  const { balance } = await readOne<{ readonly balance: number }>(database, {
    name: 'holding-balance',
    text: 'select balance_usd_cents as balance from holding_balance',
  });
  return balance;
}

// The watch over the holding account: its balance as a metric, and one log line each time it falls
// below the threshold, however many payments are made meanwhile (architecture, section 5).

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

// Port `FundsAccount` over the ledger: one statement changes the balance of the holding account and
// writes the transfer. The balance is one row, which takes 1 500 to 3 000 debits a second
// (architecture, section 5).

interface DebitRow {
  readonly isAllowed: boolean;
  readonly isDone: boolean;
}

export function createFundsAccount(database: Database): FundsAccount {
  return {
    // The statement that authorizes makes the debit too: transition-statements.ts.
    joinsAuthorize: () => true,
    async debit(intentId, amountUsdCents, corridor) {
      const key = stepKey(intentId, 'debit');
      const values = [intentId, amountUsdCents, corridor ?? null, key];
      const debit = { name: 'debit', text: DEBIT, values };
      const { isAllowed, isDone } = await readOne<DebitRow>(database, debit);
      if (!isAllowed) return 'not_authorized';
      if (isDone) return 'debited';
      // Another attempt may have made the debit while this one waited for the balance.
      const made = await readRows(database, {
        name: 'debit-made',
        text: 'select from ledger_transfers where transfer_key = $1',
        values: [key],
      });
      return made.length > 0 ? 'debited' : 'insufficient';
    },
  };
}

/**
 * Debits only an authorized payment with these terms, whose workflow is not gone. The share lock
 * prevents a status change until the debit has committed, so a debit that was delayed cannot commit
 * after the intent was cancelled or failed. The intent is locked before the balance, as in every
 * statement that locks both.
 */
const DEBIT = `
  with intent as materialized (
    select intent_id from payment_intents
     where intent_id = $1 and status = 'authorized' and not is_workflow_gone
       and amount_usd_cents = $2::bigint and corridor = coalesce($3, corridor)
       for share
  ),
  prior as (
    select transfer_key from ledger_transfers where transfer_key = $4
  ),
  balance as (
    update holding_balance set balance_usd_cents = balance_usd_cents - $2::bigint
     where balance_usd_cents >= $2::bigint
       and exists (select from intent) and not exists (select from prior)
    returning balance_usd_cents
  ),
  debit as (
    insert into ledger_transfers (transfer_key, intent_id, from_account, to_account,
                                  amount_usd_cents, created_at, actor)
    select $4, $1, 'holding', 'reserved', $2::bigint, service_now(), 'system' from balance
    returning transfer_key
  )
  select exists (select from intent) as "isAllowed",
         exists (select from prior) or exists (select from debit) as "isDone"`;
