// `payctl accounts show | fund | settle-owed` (docs/operations.md): arguments, help, and what is printed.
import type { OpsConfig } from '../../config';
import { CORRIDORS } from '../../domain/corridor';
import { formatUsd } from '../../domain/money';
import {
  fundAccount,
  listAccounts,
  settleOwed,
  type FundOptions,
  type RepaidOptions,
} from './accounts';
import { recordAndSentences, tableOr } from '../layout';
import { AS, operatorName, type OperatorOptions } from '../operator';
import { tell } from '../print';
import { noun, option, required, verb } from '../verb';

const AMOUNT_AND_KEY = [
  required('--amount-usd-cents <cents>', 'how much, a whole number of USD cents'),
  required('--key <text>', 'what it is known by, such as the number of the wire transfer'),
];

const show = verb('show', {
  does: 'Show every account of the ledger with its balance. It says so when the holding account runs low (HOLDING_LOW_USD_CENTS).',
  work() {
    return async ({ database, config }) => {
      const accounts = await listAccounts(database);
      const holding = accounts.find(({ account_id }) => account_id === 'holding');
      warnWhenLow(holding?.balance_usd_cents ?? 0, config);
      return accounts;
    };
  },
  lines(accounts) {
    const rows = accounts.map(({ account_id, balance_usd_cents, purpose }) => {
      return { account_id, balance: formatUsd(balance_usd_cents), purpose };
    });
    return tableOr(rows, 'The ledger has no accounts.');
  },
});

const fund = verb('fund', {
  usage: '--amount-usd-cents <cents> --key <text> [options]',
  does: 'Put money into the holding account, once per key: a repeat changes nothing and says so, another amount under the same key is refused.',
  options: [...AMOUNT_AND_KEY, option('--yes', 'that an amount above USD 1 million is meant'), AS],
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
      ? `This key had put in ${amount} before, and nothing was moved now.`
      : `${amount} were put in.`;
    const balance = `The holding account has ${formatUsd(funded.holding_balance_usd_cents)}.`;
    return recordAndSentences(funded, [`${done} ${balance}`]);
  },
});

const settle = verb('settle-owed', {
  usage: '--corridor <corridor> --amount-usd-cents <cents> --key <text> [options]',
  does: 'Book what a provider has paid back of what it owes for refunds, once per corridor and key. The holding account has had that money since the refund, so it is not put in again. More than is owed is refused.',
  options: [
    required('--corridor <corridor>', 'whose provider has paid').choices(CORRIDORS),
    ...AMOUNT_AND_KEY,
    AS,
  ],
  work(options: RepaidOptions & OperatorOptions) {
    const actor = operatorName(options.as);
    return ({ database }) => settleOwed(database, options, actor);
  },
  lines(repaid) {
    const amount = formatUsd(repaid.amount_usd_cents);
    const done = repaid.is_repeat
      ? `This key had booked ${amount} before, and nothing was booked now.`
      : `${amount} were booked.`;
    const owed = `The provider of ${repaid.corridor} owes ${formatUsd(repaid.owed_usd_cents)}.`;
    return recordAndSentences(repaid, [`${done} ${owed}`]);
  },
});

export const addAccountsCommands = noun(
  'accounts',
  "See the ledger's accounts, put money into the holding account, and book what a provider has paid back.",
  [show, fund, settle],
);

function warnWhenLow(balanceUsdCents: number, { HOLDING_LOW_USD_CENTS: low }: OpsConfig): void {
  if (balanceUsdCents >= low) return;
  tell(
    `The holding account runs low: ${formatUsd(balanceUsdCents)}, less than ${formatUsd(low)} (HOLDING_LOW_USD_CENTS). Payments it is too small for fail.`,
  );
}
