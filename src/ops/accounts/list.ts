// `payctl accounts list`: every account of the ledger, with its balance.
import { formatUsd } from '../../domain/money';
import { readAccounts } from '../../postgres/ledger/balances';
import { tableOr } from '../layout';
import { verb } from '../verb';
import { warnWhenLow } from './low-balance';

export const list = verb('list', {
  does: 'List every account of the ledger with its balance. It warns if the holding account runs low (HOLDING_LOW_USD_CENTS).',
  work() {
    return async ({ database, config }) => {
      const accounts = await readAccounts(database);
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
