// `payctl data`: the noun and its verb.
import { noun } from '../verb';
import { prune } from './prune';

export const addDataCommands = noun('data', 'Delete old data.', [prune]);
