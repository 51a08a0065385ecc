// `payctl accounts show | fund | settle-owed`: what the ledger's accounts hold, money put into the holding account, and what a
// provider has paid back (architecture, section 5; decision 16).
import type { Corridor } from '../../domain/corridor';
import { formatUsd } from '../../domain/money';
import type { Database } from '../../postgres/database';
import { bookFunding, readHoldingAccountBalance } from '../../postgres/ledger/holding-account';
import { readAccounts } from '../../postgres/ledger/balances';
import { bookRepayment } from '../../postgres/ledger/repayment';
import { BadOption, Rejection } from '../rejection';

/** What programs script against. */
export interface ShownAccount {
  readonly account_id: string;
  readonly purpose: string;
  /** What has come in, less what has gone out: below zero where the account only gives, such as `funding`. */
  readonly balance_usd_cents: number;
}

export function listAccounts(database: Database): Promise<readonly ShownAccount[]> {
  return readAccounts(database);
}

export interface FundOptions {
  readonly amountUsdCents: string;
  readonly key: string;
  /** That an amount which looks like a slip is meant. */
  readonly yes?: boolean;
}

export interface Funded {
  readonly key: string;
  readonly amount_usd_cents: number;
  /** Whether an earlier call had moved it, and this one has changed nothing. */
  readonly is_repeat: boolean;
  readonly holding_balance_usd_cents: number;
}

/** Keeps a key of ours, such as that of a debit, from being used up by hand. */
const KEY_PREFIX = 'fund:';
const KEY = /^[!-~]{1,200}$/;
/** USD 100 billion: sums of such stay exact. */
const FUNDING_MAX_USD_CENTS = 10_000_000_000_000;
/** USD 1 million: a larger amount has to be confirmed, since two noughts too many are soon typed. */
const UNCONFIRMED_MAX_USD_CENTS = 100_000_000;

/** Idempotent by key. @throws Rejection when an option is not acceptable, or the key stands for another amount. */
export async function fundAccount(
  database: Database,
  { key, amountUsdCents: text, yes = false }: FundOptions,
  actor: string,
): Promise<Funded> {
  const amountUsdCents = parseAmount(text);
  requireKey(key);
  if (amountUsdCents > UNCONFIRMED_MAX_USD_CENTS && !yes) {
    throw new Rejection(
      `${formatUsd(amountUsdCents)} are more than ${formatUsd(UNCONFIRMED_MAX_USD_CENTS)}. Nothing was moved: if they are meant, repeat with --yes.`,
    );
  }
  const booked = await bookFunding(database, { key: KEY_PREFIX + key, amountUsdCents, actor });
  if (booked.amountUsdCents !== amountUsdCents) {
    throw new Rejection(
      `--key ${key} has put in ${formatUsd(booked.amountUsdCents)} already, by ${booked.actor} at ${booked.at.toISOString()}. Nothing was moved: another amount needs another key.`,
    );
  }
  return {
    key,
    amount_usd_cents: amountUsdCents,
    is_repeat: !booked.isNew,
    holding_balance_usd_cents: await readHoldingAccountBalance(database),
  };
}

export interface RepaidOptions extends Pick<FundOptions, 'amountUsdCents' | 'key'> {
  readonly corridor: Corridor;
}

export interface Repaid {
  readonly key: string;
  readonly corridor: Corridor;
  readonly amount_usd_cents: number;
  /** Whether an earlier call had booked it, and this one has changed nothing. */
  readonly is_repeat: boolean;
  /** What the provider of the corridor owes us still. */
  readonly owed_usd_cents: number;
}

/** Idempotent by corridor and key. @throws Rejection as above, or when it is more than is owed. */
export async function settleOwed(
  database: Database,
  { corridor, key, amountUsdCents: text }: RepaidOptions,
  actor: string,
): Promise<Repaid> {
  const amountUsdCents = parseAmount(text);
  requireKey(key);
  const repayment = { corridor, key, amountUsdCents, actor };
  const { booked, isNew, owedUsdCents } = await bookRepayment(database, repayment);
  if (booked === null) {
    throw new Rejection(
      `The provider of ${corridor} owes ${formatUsd(owedUsdCents)}, less than ${formatUsd(amountUsdCents)}. Nothing was booked: what came in beyond that is put in with "payctl accounts fund".`,
    );
  }
  if (booked.amountUsdCents !== amountUsdCents) {
    throw new Rejection(
      `--key ${key} stands for ${formatUsd(booked.amountUsdCents)} of ${corridor} already, by ${booked.actor} at ${booked.at.toISOString()}. Nothing was booked: another amount needs another key.`,
    );
  }
  return {
    key,
    corridor,
    amount_usd_cents: amountUsdCents,
    is_repeat: !isNew,
    owed_usd_cents: owedUsdCents,
  };
}

function requireKey(key: string): void {
  if (KEY.test(key)) return;
  throw new BadOption('--key is 1 to 200 printable ASCII characters without spaces.');
}

function parseAmount(text: string): number {
  const amount = /^\d{1,14}$/.test(text) ? Number(text) : 0;
  if (amount >= 1 && amount <= FUNDING_MAX_USD_CENTS) return amount;
  throw new BadOption(
    `--amount-usd-cents ${text} is not a whole number of cents from 1 to ${FUNDING_MAX_USD_CENTS}.`,
  );
}
