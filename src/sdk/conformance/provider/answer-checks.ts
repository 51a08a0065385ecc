// Checks of single answers, and that a key is executed at most once. The balance shows what answers
// may hide.
import type { PayoutOutcome } from '../../../ports/payout-provider';
import { through } from './caller';
import type { ProviderCheck, Trial } from './provider-check';

export const ANSWER_CHECKS: readonly ProviderCheck[] = [
  {
    name: 'An order is paid, and the balance falls by it.',
    advice: 'Answer an order with its key, status and cents, and GET /balance with what is left.',
    pays: 100,
    run: ({ first, pay }) => pay(first),
  },
  {
    name: 'An unknown key is 404 with exactly error and key.',
    advice: 'Answer a query from your books: by the order, or by 404 not_found.',
    run: ({ find, given }) => find(given, 'not_found'),
  },
  {
    name: 'A key that is longer than a known one is unknown.',
    advice: 'Compare whole keys.',
    run: ({ find, first }) => find({ ...first, key: `${first.key}x` }, 'not_found'),
  },
  {
    name: 'A key of 256 characters is stored and found.',
    advice: 'Accept every printable ASCII character, and decode the path once.',
    pays: 1,
    run: ({ given, pay }) => pay({ ...given, key: `${given.key}/..%2F?a=b#"\\~`.padEnd(256, 'x') }),
  },
  {
    name: 'No answer comes from a cache: not_found ends with the order.',
    advice: 'Answer Cache-Control: no-store, and never from a cache or a late replica.',
    pays: 1,
    async run({ find, given, order }) {
      await find(given, 'not_found');
      await order(given, 'paid', 'pending');
      await find(given, 'paid', 'pending');
    },
  },
  {
    name: 'Paths that do not exist never answer not_found.',
    advice: 'Danger: double payment. Give other 404 answers another body.',
    run: queryOtherPaths,
  },
];

async function queryOtherPaths({ given, ...caller }: Trial): Promise<void> {
  const part = encodeURIComponent(given.key);
  for (const path of [`/payout/${part}`, `/payouts/${part}/x`, `/x/payouts/${part}`, '/payouts']) {
    const url = `${caller.baseUrl}${path}`;
    const other = through(caller, (request, send) => send({ ...request, url }));
    const { outcome } = await other.find(given);
    if (outcome !== 'not_found') continue;
    throw new Error(`GET ${path.replace(part, '…')} answered not_found.`);
  }
}

const AT_ONCE = 20;
const DOUBLE = 'Danger: double payment. Store the key durably, with uniqueness, before you pay.';

export const REPEAT_CHECKS: readonly ProviderCheck[] = [
  {
    name: 'The same order again is the same payment.',
    advice: DOUBLE,
    async run({ find, first, order }) {
      const answers = [await find(first, 'paid')];
      for (let times = 0; times < 3; times += 1) answers.push(await order(first, 'paid'));
      verifyOne([...answers, await find(first, 'paid')]);
    },
  },
  {
    name: 'Twenty orders at once with one key are one payment.',
    advice: DOUBLE,
    pays: 100,
    async run({ findPaid, given, order }) {
      const orders = Array.from({ length: AT_ONCE }, () => order(given, 'paid', 'pending'));
      // No order may still be on its way when the next check begins.
      await Promise.allSettled(orders);
      verifyOne([...(await Promise.all(orders)), await findPaid(given)]);
    },
  },
  {
    name: 'The key of an order is refused for another amount.',
    advice: 'Answer 409, and execute nothing.',
    async run({ find, first, order }) {
      await order({ ...first, amountUsdCents: first.amountUsdCents + 1 }, 'unknown');
      await find(first, 'paid');
    },
  },
];

function verifyOne(answers: readonly PayoutOutcome[]): void {
  const references = new Set(answers.map(referenceOf).filter(Boolean));
  if (references.size > 1) throw new Error('It answered more than one reference.');
}

function referenceOf(answer: PayoutOutcome): string | null {
  if ('facts' in answer) return answer.facts.reference;
  return 'reference' in answer ? answer.reference : null;
}
