// Checks that a key is executed at most once. The balance shows what answers may hide.
import type { Check } from '../check';
import { newKey } from './caller';
import { described, type Payout, type Reading } from './reading';
import { CENTS, checkOf, firstProblem, notPayout, type Subject } from './subject';

const AT_ONCE = 20;
const DOUBLE = 'Danger: double payment. Store the key durably, with uniqueness, before you pay.';

export function repeatChecks(subject: Subject): readonly Check[] {
  const { caller, books, key } = subject;
  return [
    checkOf('The same order again is the same payment.', DOUBLE, () =>
      books.moves(0, () => repeatsFirst(subject)),
    ),
    checkOf('Twenty orders at once with one key are one payment.', DOUBLE, () =>
      books.moves(CENTS.atOnce, () => sendsAtOnce(subject)),
    ),
    checkOf(
      'The key of an order is refused for another amount.',
      'Answer 409, and execute nothing.',
      () => books.moves(0, () => ordersOther(subject)),
    ),
    checkOf('A query executes nothing, and is always the same.', DOUBLE, () =>
      books.moves(0, async () => {
        const readings = [await caller.find(key), await caller.find(key), await caller.find(key)];
        return unlessOne(readings, CENTS.first);
      }),
    ),
  ];
}

async function repeatsFirst({ caller, key }: Subject): Promise<string | undefined> {
  const found = await caller.find(key);
  const again = [];
  for (let times = 0; times < 3; times += 1) {
    again.push(await caller.order({ key, cents: CENTS.first }));
  }
  return unlessOne([found, ...again, await caller.find(key)], CENTS.first);
}

async function sendsAtOnce({ caller }: Subject): Promise<string | undefined> {
  const order = { key: newKey(), cents: CENTS.atOnce };
  const readings = await Promise.all(Array.from({ length: AT_ONCE }, () => caller.order(order)));
  const settled = await caller.settled(order.key);
  return (
    notPayout(settled, CENTS.atOnce, 'paid') ?? unlessOne([...readings, settled], CENTS.atOnce)
  );
}

async function ordersOther({ caller, key }: Subject): Promise<string | undefined> {
  const other = await caller.order({ key, cents: CENTS.first + 1 });
  // The map of ordered amounts has the key once, with the amount that counts.
  caller.note({ key, cents: CENTS.first });
  if (other.kind !== 'unclear') return described(other);
  return firstProblem(async () => notPayout(await caller.find(key), CENTS.first, 'paid'));
}

/** The problem, unless all are one payout: of these cents, with one reference. */
function unlessOne(readings: readonly Reading[], cents: number): string | undefined {
  const problem = readings
    .map((reading) => notPayout(reading, cents, 'paid', 'pending'))
    .find((one) => one !== undefined);
  if (problem !== undefined) return problem;
  const payouts = readings.filter((reading): reading is Payout => reading.kind === 'payout');
  const references = new Set(payouts.map(({ reference }) => reference).filter(Boolean));
  return references.size > 1 ? 'It answered more than one reference.' : undefined;
}
