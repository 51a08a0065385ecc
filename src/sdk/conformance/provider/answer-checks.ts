// Checks of single answers: form, keys, caches and pages of gateways.
import type { Check } from '../check';
import { newKey } from './caller';
import { readingOf } from './reading';
import { CENTS, checkOf, firstProblem, notKind, notPayout, type Subject } from './subject';

export function answerChecks(subject: Subject): readonly Check[] {
  const { caller, books, key } = subject;
  return [
    checkOf(
      'An order is paid, and the balance falls by it.',
      'Answer an order with its key, status and cents, and GET /balance with what is left.',
      () =>
        books.moves(CENTS.first, async () => {
          const reading = await caller.order({ key, cents: CENTS.first });
          const problem = notPayout(reading, CENTS.first, 'paid', 'pending');
          return problem ?? notPayout(await caller.settled(key), CENTS.first, 'paid');
        }),
    ),
    checkOf(
      'An unknown key is 404 with exactly error and key.',
      'Answer a query from your books: by the order, or by 404 not_found.',
      async () => notKind(await caller.find(newKey()), 'not_found'),
    ),
    checkOf('A key that is longer than a known one is unknown.', 'Compare whole keys.', async () =>
      notKind(await caller.find(`${key}x`), 'not_found'),
    ),
    checkOf(
      'A key of 256 characters is stored and found.',
      'Accept every printable ASCII character, and decode the path once.',
      () => findsLongKey(subject),
    ),
    checkOf(
      'No answer comes from a cache: not_found ends with the order.',
      'Answer Cache-Control: no-store, and never from a cache or a late replica.',
      () => isFresh(subject),
    ),
    checkOf(
      'Paths that do not exist never answer not_found.',
      'Danger: double payment. Give other 404 answers another body.',
      () => otherPaths(subject),
    ),
  ];
}

async function findsLongKey({ caller }: Subject): Promise<string | undefined> {
  const key = `${newKey()}/..%2F?a=b#"\\~`.padEnd(256, 'x');
  return firstProblem(
    async () =>
      notPayout(await caller.order({ key, cents: CENTS.least }), CENTS.least, 'paid', 'pending'),
    async () => notPayout(await caller.settled(key), CENTS.least, 'paid'),
  );
}

async function isFresh({ caller }: Subject): Promise<string | undefined> {
  const key = newKey();
  return firstProblem(
    async () => notKind(await caller.find(key), 'not_found'),
    async () =>
      notPayout(await caller.order({ key, cents: CENTS.least }), CENTS.least, 'paid', 'pending'),
    async () => notPayout(await caller.find(key), CENTS.least, 'paid', 'pending'),
  );
}

async function otherPaths({ caller }: Subject): Promise<string | undefined> {
  const key = newKey();
  const part = encodeURIComponent(key);
  for (const path of [`/payout/${part}`, `/payouts/${part}/x`, `/x/payouts/${part}`, '/payouts']) {
    const reply = await caller.send({ method: 'GET', path });
    const isDenial =
      typeof reply !== 'string' && readingOf(reply, key, 'query').kind === 'not_found';
    if (isDenial) return `GET ${path.replace(part, '…')} answered not_found.`;
  }
  return undefined;
}
