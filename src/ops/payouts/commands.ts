// `payctl payouts` (decision 127): the noun and its verbs.
import { noun } from '../verb';
import { allow } from './allow';
import { show } from './show';
import { stop } from './stop';

export const addPayoutsCommands = noun(
  'payouts',
  'Stop all payouts, and allow them again. Everything else continues.',
  [show, stop, allow],
);
