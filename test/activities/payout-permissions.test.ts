// The payout activity does what the table of permissions says (decision 150), over the payout's
// row: orders that were refused, declines that may be revoked, providers that might pay twice.
import type { PayoutOutcome } from '../../src/ports/payout-provider';
import { recogniseErrorsOfNode } from '../support/builders';
import {
  DECLINED,
  factsOf,
  NOT_FOUND,
  PENDING,
  REFUSED,
  returnedIn,
} from '../support/payments/answers';
import { ANSWERS, CENTS, withPayouts } from './payout-world';

recogniseErrorsOfNode();

const payouts = withPayouts();
const FORBIDDEN = { ...REFUSED, code: 'compliance' } as const;
const OPEN = { type: 'PayoutUnknown' };
const ENDED = { outcome: 'declined' };

type Payout = Awaited<ReturnType<typeof payouts.aPayout>>;

/** The attempt at so many seconds after the first; its result, or why it is repeated. */
async function attemptAt({ payOut }: Payout, seconds: number) {
  await payouts.setSecondsAfterNoon(seconds);
  return payOut().catch((error: unknown) => error);
}
const orders = ({ calls }: Payout) => calls.filter(([what]) => what.startsWith('pay ')).length;

const REPEATS = ['same', 'refused', 'unsafe'] as const;

const queriesOf = ({ intent: { intentId } }: Payout) =>
  payouts.rows('select unpaid_by_query from payment_intents where intent_id = $1', intentId);

describe('a request that may be forgotten, at a provider where a repeat is', () => {
  // Asked before a cancel, an expiry after a restore, and a failure for lack of funds.
  it.each(REPEATS)('%s, is not known as unpaid by a denial that is no proof', async (repeat) => {
    const abilities = { repeat, notFoundIsProof: false };
    const payout = await payouts.aPayout({ find: NOT_FOUND, abilities });
    await expect(payout.isKnownUnpaid()).resolves.toBe(false);
    await expect(queriesOf(payout)).resolves.toEqual([{ unpaid_by_query: null }]);
  });

  it.each(REPEATS)('%s, is known as unpaid by one that is proof', async (repeat) => {
    const payout = await payouts.aPayout({ find: NOT_FOUND, abilities: { repeat } });
    await expect(payout.isKnownUnpaid()).resolves.toBe(true);
    await expect(queriesOf(payout)).resolves.toEqual([{ unpaid_by_query: 'query-1' }]);
  });
});

describe('an order that was refused', () => {
  const refusedPayout = async (pay: PayoutOutcome, abilities = {}) => {
    const payout = await payouts.aPayout({ pay, find: NOT_FOUND, abilities });
    await expect(payout.payOutAtOnce()).resolves.toEqual({ outcome: 'undecided' });
    return payout;
  };

  it('for too little balance is sent again from 6 s on, for a minute, and then ends unpaid', async () => {
    const payout = await refusedPayout(REFUSED);
    await expect(attemptAt(payout, 5.999)).resolves.toMatchObject(OPEN);
    expect(orders(payout)).toBe(1);
    await expect(attemptAt(payout, 6)).resolves.toMatchObject({
      message: 'the provider says refused: insufficient_balance',
    });
    await attemptAt(payout, 54);
    expect(orders(payout)).toBe(3);
    await expect(attemptAt(payout, 60)).resolves.toMatchObject(ENDED);
    expect(orders(payout)).toBe(3);
  });

  it('with a code that does not pass is never sent again, and ends by two denials', async () => {
    const payout = await refusedPayout(FORBIDDEN);
    await expect(attemptAt(payout, 6)).resolves.toMatchObject(ENDED);
    expect(orders(payout)).toBe(1);
    expect(payout.calls.filter(([what]) => what === 'find th_qrpay')).toHaveLength(2);
    expect(payout.answered).toEqual(['unpaid']);
  });

  it('never ends if a refusal is not final and a denial is no proof', async () => {
    const unsure = { refusalIsFinal: false, notFoundIsProof: false };
    const payout = await refusedPayout(FORBIDDEN, unsure);
    await expect(attemptAt(payout, 600)).resolves.toMatchObject(OPEN);
    await expect(attemptAt(payout, 900)).resolves.toEqual({ outcome: 'unknown', isUnsent: false });
    expect([orders(payout), payout.answered]).toEqual([1, []]);
  });

  it('does not end by its refusal if an earlier order was left without an answer', async () => {
    const options = { pay: FORBIDDEN, find: NOT_FOUND, sentSecondsAgo: 6 };
    const payout = await payouts.aPayout({ ...options, abilities: { notFoundIsProof: false } });
    await expect(attemptAt(payout, 0)).resolves.toMatchObject(OPEN);
    await expect(attemptAt(payout, 600)).resolves.toMatchObject(OPEN);
    expect(orders(payout)).toBe(1);
  });
});

describe('a decline that may be revoked', () => {
  const abilities = { declineIsFinal: false };

  it('ends the payment if it is repeated 6 s later', async () => {
    const payout = await payouts.aPayout({ pay: DECLINED, find: DECLINED, abilities });
    await expect(payout.payOutAtOnce()).resolves.toEqual({ outcome: 'undecided' });
    await expect(attemptAt(payout, 5.999)).resolves.toMatchObject(OPEN);
    await expect(attemptAt(payout, 6)).resolves.toMatchObject(ENDED);
    expect(payout.answered).toEqual(['declined', 'declined', 'unpaid']);
  });

  it('is revoked by an acceptance: a later decline is the first again', async () => {
    const payout = await payouts.aPayout({ pay: DECLINED, find: DECLINED, abilities });
    await payout.payOutAtOnce();
    await payouts.setSecondsAfterNoon(5);
    await payout.says(1, 'pending');
    await expect(attemptAt(payout, 7)).resolves.toMatchObject(OPEN);
    await expect(attemptAt(payout, 13)).resolves.toMatchObject(ENDED);
  });

  it('forbids to send again, even if the provider does not know the key later', async () => {
    const payout = await payouts.aPayout({ pay: DECLINED, find: NOT_FOUND, abilities });
    await payout.payOutAtOnce();
    await expect(attemptAt(payout, 600)).resolves.toMatchObject(OPEN);
    expect(orders(payout)).toBe(1);
  });
});

describe('a provider that might pay a key twice', () => {
  const abilities = { repeat: 'unsafe', notFoundIsProof: false } as const;

  it('gets no second order, even if it does not know the key', async () => {
    const payout = await payouts.aPayout({ sentSecondsAgo: 600, find: NOT_FOUND, abilities });
    await expect(attemptAt(payout, 0)).resolves.toMatchObject(OPEN);
    expect(orders(payout)).toBe(0);
  });
});

it.each([
  ['refuses repeats, and cannot be queried by key', { repeat: 'refused', findsByKey: false }, 1],
  ['might pay twice, and cannot be queried by key', { repeat: 'unsafe', findsByKey: false }, 0],
  ['can be queried by key', {}, 0],
] as const)(
  'a late first order, without an answer to the query, to a provider that %s: %j sends %d',
  async (_what, abilities, sent) => {
    const payout = await payouts.aPayout({ find: ANSWERS.unknown, abilities });
    // The debit is older than a first order, so the provider is queried.
    await attemptAt(payout, 60);
    expect(orders(payout)).toBe(sent);
  },
);

it('an order that is there already is accepted: it is never sent again', async () => {
  const options = { pay: { outcome: 'duplicate' }, find: NOT_FOUND } as const;
  const payout = await payouts.aPayout(options);
  await payout.payOutAtOnce();
  await expect(attemptAt(payout, 600)).resolves.toMatchObject(OPEN);
  expect([orders(payout), payout.answered]).toEqual([1, ['duplicate']]);
});

it('a payment without the cents that were ordered is not taken for the right one', async () => {
  const facts = { ...factsOf(CENTS), orderedUsdCents: null };
  const payout = await payouts.aPayout({ pay: { outcome: 'paid', facts } });
  await expect(payout.payOutAtOnce()).resolves.toEqual({ outcome: 'undecided' });
});

it('money that comes back before the capture is returned to the workflow', async () => {
  const payout = await payouts.aPayout({ pay: PENDING, find: returnedIn(CENTS) });
  await payout.payOutAtOnce();
  await expect(attemptAt(payout, 6)).resolves.toMatchObject({ outcome: 'returned' });
  await expect(payout.currentState()).resolves.toMatchObject({ status: 'authorized' });
});
