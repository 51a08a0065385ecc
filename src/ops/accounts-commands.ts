// `payctl accounts show | fund | settle-owed` (docs/operations.md): arguments, help, and what is printed.
import { Option, type Command } from 'commander';
import { CORRIDORS } from '../domain/corridor';
import { formatUsd } from '../domain/money';
import {
  fundAccount,
  listAccounts,
  settleOwed,
  type FundOptions,
  type Funded,
  type Repaid,
  type RepaidOptions,
} from './accounts';
import { AS_OPTION, operatorName } from './operator';
import { printRecord, printRows, tell } from './print';
import { inSession } from './session';

interface Printing {
  readonly json?: boolean;
}

export function addAccountsCommands(payctl: Command): void {
  const accounts = payctl
    .command('accounts')
    .description(
      "See the ledger's accounts, put money into the holding account, and book what a provider has paid back.",
    );
  accounts
    .command('show')
    .description(
      'Show every account of the ledger with its balance. It says so when the holding account runs low (HOLDING_LOW_USD_CENTS).',
    )
    .option('--json', 'print JSON')
    .action(runShow);
  accounts
    .command('fund')
    .usage('--amount-usd-cents <cents> --key <text> [options]')
    .description(
      'Put money into the holding account, once per key: a repeat changes nothing and says so, another amount under the same key is refused.',
    )
    .requiredOption('--amount-usd-cents <cents>', 'how much, a whole number of USD cents')
    .requiredOption('--key <text>', 'what it is known by, such as the number of the wire transfer')
    .option('--yes', 'that an amount above USD 1 million is meant')
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runFund);
  addSettleOwed(accounts);
}

function addSettleOwed(accounts: Command): void {
  accounts
    .command('settle-owed')
    .usage('--corridor <corridor> --amount-usd-cents <cents> --key <text> [options]')
    .description(
      'Book what a provider has paid back of what it owes for refunds, once per corridor and key. The holding account has had that money since the refund, so it is not put in again. More than is owed is refused.',
    )
    .addOption(
      new Option('--corridor <corridor>', 'whose provider has paid')
        .choices(CORRIDORS)
        .makeOptionMandatory(),
    )
    .requiredOption('--amount-usd-cents <cents>', 'how much, a whole number of USD cents')
    .requiredOption('--key <text>', 'what it is known by, such as the number of the wire transfer')
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runSettleOwed);
}

async function runShow({ json }: Printing): Promise<void> {
  await inSession(async ({ database, config }) => {
    const accounts = await listAccounts(database);
    const rows = accounts.map(({ balance_usd_cents: cents, ...account }) => ({
      account_id: account.account_id,
      balance: formatUsd(cents),
      purpose: account.purpose,
    }));
    printRows(json === true ? accounts : rows, json === true, 'The ledger has no accounts.');
    const holding = accounts.find(({ account_id }) => account_id === 'holding');
    warnWhenLow(holding?.balance_usd_cents ?? 0, config.HOLDING_LOW_USD_CENTS);
  });
}

async function runFund(options: FundOptions & Printing & { readonly as?: string }): Promise<void> {
  const actor = operatorName(options.as);
  await inSession(async ({ database, config }) => {
    const funded = await fundAccount(database, options, actor);
    printRecord(funded, options.json === true, [sentenceOf(funded)]);
    warnWhenLow(funded.holding_balance_usd_cents, config.HOLDING_LOW_USD_CENTS);
  });
}

async function runSettleOwed(
  options: RepaidOptions & Printing & { readonly as?: string },
): Promise<void> {
  const actor = operatorName(options.as);
  const repaid = await inSession(({ database }) => settleOwed(database, options, actor));
  printRecord(repaid, options.json === true, [sentenceOfRepaid(repaid)]);
}

function sentenceOfRepaid({
  is_repeat,
  amount_usd_cents,
  corridor,
  owed_usd_cents,
}: Repaid): string {
  const owed = `The provider of ${corridor} owes ${formatUsd(owed_usd_cents)}.`;
  return is_repeat
    ? `This key had booked ${formatUsd(amount_usd_cents)} before, and nothing was booked now. ${owed}`
    : `${formatUsd(amount_usd_cents)} were booked. ${owed}`;
}

function sentenceOf({ is_repeat, amount_usd_cents, holding_balance_usd_cents }: Funded): string {
  const balance = `The holding account has ${formatUsd(holding_balance_usd_cents)}.`;
  return is_repeat
    ? `This key had put in ${formatUsd(amount_usd_cents)} before, and nothing was moved now. ${balance}`
    : `${formatUsd(amount_usd_cents)} were put in. ${balance}`;
}

function warnWhenLow(balanceUsdCents: number, lowUsdCents: number): void {
  if (balanceUsdCents >= lowUsdCents) return;
  tell(
    `The holding account runs low: ${formatUsd(balanceUsdCents)}, less than ${formatUsd(lowUsdCents)} (HOLDING_LOW_USD_CENTS). Payments it is too small for fail.`,
  );
}
