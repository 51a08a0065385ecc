// `payctl ledger`: the noun and its verb.
import { noun } from '../verb';
import { check } from './check';

export const addLedgerCommands = noun('ledger', 'Check that the ledger is right.', [check]);
