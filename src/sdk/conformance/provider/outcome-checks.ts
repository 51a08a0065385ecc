// Checks of the outcomes that the protocol's amounts choose: declined, pending, returned, refused.
import { FENCE_MS } from './lost-checks';
import type { ProviderCheck } from './provider-check';

const RETURNED_MS = 3_500;

export const OUTCOME_CHECKS: readonly ProviderCheck[] = [
  {
    name: 'A declined order (40001) stays declined and is never paid.',
    advice: 'Danger: money is given back. Decline only what you never execute.',
    orders: 40_001,
    async run({ find, given, order, wait }) {
      await order(given, 'declined');
      await find(given, 'declined');
      await wait(FENCE_MS);
      await order(given, 'declined');
      await find(given, 'declined');
    },
  },
  {
    name: 'A pending order (40004) is found while pending, then paid.',
    advice: 'Danger: double payment. Store the order before you execute it.',
    pays: 40_004,
    async run({ find, findPaid, given, order }) {
      await order(given, 'pending');
      await find(given, 'pending', 'paid');
      await order(given, 'pending', 'paid');
      await findPaid(given);
      await order(given, 'paid');
    },
  },
  {
    name: 'A paid order (40010) is returned, and its balance comes back.',
    advice: 'Answer returned once the money is back, also to the same order again.',
    orders: 40_010,
    async run({ find, given, order, wait }) {
      await order(given, 'paid');
      await wait(RETURNED_MS);
      await order(given, 'returned');
      await find(given, 'returned');
    },
  },
  {
    name: 'A refused order (40013) is not executed.',
    advice: 'Danger: money is given back. Refuse only what makes no order.',
    orders: 40_013,
    async run({ find, given, order, wait }) {
      await order(given, 'refused: insufficient_balance');
      await wait(FENCE_MS);
      await find(given, 'not_found');
    },
  },
  {
    name: 'After two refusals the same order (40013) is paid once.',
    advice: 'Refuse the first two orders of a key with 40013, then pay it.',
    pays: 40_013,
    async run({ find, given, order, pay }) {
      await order(given, 'refused: insufficient_balance');
      await order(given, 'refused: insufficient_balance');
      await find(given, 'not_found');
      await pay(given);
    },
  },
];
