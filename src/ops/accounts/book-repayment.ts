// `payctl accounts book-repayment` (decision 16): books what a provider has paid back of what it
// owes for refunds.
import { CORRIDORS, type Corridor } from '../../corridors/names';
import { formatUsd } from '../../domain/money';
import type { Database } from '../../postgres/database';
import { bookRepayment } from '../../postgres/ledger/repayment';
import { recordAndSentences } from '../layout';
import { AS, operatorName, type OperatorOptions } from '../operator';
import { Rejection } from '../rejection';
import { required, verb } from '../verb';
import { AMOUNT_AND_KEY, checkAmountAndKey, type AmountAndKey } from './amount-and-key';

interface RepaymentOptions extends AmountAndKey {
  readonly corridor: Corridor;
}

export const repayment = verb('book-repayment', {
  usage: '--corridor <corridor> --amount-usd-cents <cents> --key <text> [options]',
  does: 'Book what a provider has paid back of what it owes for refunds, once per corridor and key. The holding account has had that money since the refund, so it is not booked there again. More than the debt is rejected.',
  options: [
    required('--corridor <corridor>', 'the corridor whose provider has paid').choices(CORRIDORS),
    ...AMOUNT_AND_KEY,
    AS,
  ],
  work(options: RepaymentOptions & OperatorOptions) {
    const actor = operatorName(options.as);
    return ({ database }) => recordRepayment(database, options, actor);
  },
  lines(repaid) {
    const amount = formatUsd(repaid.amount_usd_cents);
    const done = repaid.is_repeat
      ? `This key has already booked ${amount}: nothing was booked now.`
      : `${amount} were booked.`;
    const debt = `The provider of ${repaid.corridor} owes ${formatUsd(repaid.due_usd_cents)}.`;
    return recordAndSentences(repaid, [`${done} ${debt}`]);
  },
});

interface Repaid {
  readonly key: string;
  readonly corridor: Corridor;
  readonly amount_usd_cents: number;
  /** An earlier call has booked it, and this one changed nothing. */
  readonly is_repeat: boolean;
  /** What the provider of the corridor still owes us. */
  readonly due_usd_cents: number;
}

/**
 * Idempotent by corridor and key.
 * @throws Rejection if an option is invalid, the key has another amount, or it exceeds the debt
 */
export async function recordRepayment(
  database: Database,
  options: RepaymentOptions,
  actor: string,
): Promise<Repaid> {
  const { corridor, key } = options;
  const amountUsdCents = checkAmountAndKey(options);
  const repayment = { corridor, key, amountUsdCents, actor };
  const { booked, isNew, dueUsdCents } = await bookRepayment(database, repayment);
  if (booked === null) {
    throw new Rejection(
      `The provider of ${corridor} owes ${formatUsd(dueUsdCents)}, less than ${formatUsd(amountUsdCents)}. Nothing was booked. If a refund is missing here, as after a restore, repeat it first. Book money beyond all refunds with "payctl accounts fund".`,
    );
  }
  if (booked.amountUsdCents !== amountUsdCents) {
    throw new Rejection(
      `--key ${key} has already booked ${formatUsd(booked.amountUsdCents)} of ${corridor}, by ${booked.actor} at ${booked.at.toISOString()}. Nothing was booked: another amount needs another key.`,
    );
  }
  return {
    key,
    corridor,
    amount_usd_cents: amountUsdCents,
    is_repeat: !isNew,
    due_usd_cents: dueUsdCents,
  };
}
