// `payctl accounts fund`: books money into the holding account, once per key (architecture,
// section 5).
import { formatUsd } from '../../domain/money';
import type { Database } from '../../postgres/database';
import { decide } from '../../postgres/approvals/decide';
import { findTransfer, readHoldingAccountBalance } from '../../postgres/ledger/holding-account';
import { requireConsent, yesFor, type Consent } from '../consent';
import { recordAndSentences } from '../layout';
import { AS, operatorName, type OperatorOptions } from '../operator';
import { Rejection } from '../rejection';
import { verb } from '../verb';
import { AMOUNT_AND_KEY, checkAmountAndKey, type AmountAndKey } from './amount-and-key';
import { warnWhenLow } from './low-balance';

type FundOptions = AmountAndKey & Consent;

export const fund = verb('fund', {
  usage: '--amount-usd-cents <cents> --key <text> [options]',
  does: 'Book money into the holding account, once per key: a repeat changes nothing and says so; another amount under the same key is rejected.',
  options: [...AMOUNT_AND_KEY, yesFor('an amount above USD 1 million'), AS],
  work(options: FundOptions & OperatorOptions) {
    const actor = operatorName(options.as);
    return async ({ database, config }) => {
      const funded = await fundAccount(database, options, actor);
      warnWhenLow(funded.holding_balance_usd_cents, config);
      return funded;
    };
  },
  lines(funded) {
    const amount = formatUsd(funded.amount_usd_cents);
    const done = funded.is_repeat
      ? `This key has already booked ${amount}: nothing was moved now.`
      : `${amount} were booked.`;
    const balance = `The holding account has ${formatUsd(funded.holding_balance_usd_cents)}.`;
    return recordAndSentences(funded, [`${done} ${balance}`]);
  },
});

interface Funded {
  readonly key: string;
  readonly amount_usd_cents: number;
  /** An earlier call has moved it, and this one changed nothing. */
  readonly is_repeat: boolean;
  readonly holding_balance_usd_cents: number;
}

/** The decision puts it before the key, so that no key of ours can be used up. */
const KEY_PREFIX = 'fund:';
/** USD 1 million: two zeros too many are soon typed, so a larger amount must be confirmed. */
const UNCONFIRMED_MAX_USD_CENTS = 100_000_000;

/** Idempotent by key. @throws Rejection if an option is invalid, or the key has another amount */
export async function fundAccount(
  database: Database,
  options: FundOptions,
  actor: string,
): Promise<Funded> {
  const { key } = options;
  const amountUsdCents = checkAmountAndKey(options);
  if (amountUsdCents > UNCONFIRMED_MAX_USD_CENTS) {
    requireConsent(
      options,
      `${formatUsd(amountUsdCents)} is more than ${formatUsd(UNCONFIRMED_MAX_USD_CENTS)}.`,
    );
  }
  const given = { key, amount_usd_cents: amountUsdCents };
  const done = await decide(database, { verb: 'accounts fund', given, actor });
  const booked = await findTransfer(database, KEY_PREFIX + key);
  if (booked === null) {
    throw new Error(`the ledger has no transfer ${key}: was the database restored?`);
  }
  if (booked.amountUsdCents !== amountUsdCents) {
    throw new Rejection(
      `--key ${key} has already booked ${formatUsd(booked.amountUsdCents)}, by ${booked.actor} at ${booked.at.toISOString()}. Nothing was moved: another amount needs another key.`,
    );
  }
  return {
    key,
    amount_usd_cents: amountUsdCents,
    is_repeat: done === null,
    holding_balance_usd_cents: await readHoldingAccountBalance(database),
  };
}
