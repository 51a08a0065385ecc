// `payctl accounts`: the noun and its verbs.
import { noun } from '../verb';
import { fund } from './fund';
import { settle } from './settle-owed';
import { show } from './show';

export const addAccountsCommands = noun(
  'accounts',
  "See the ledger's accounts, book money into the holding account, and book what a provider has paid back.",
  [show, fund, settle],
);
