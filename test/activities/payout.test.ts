// The payout activity queries the provider by key before it sends again (architecture, section 3).
import { inspect } from 'node:util';
import type { QueryAnswer } from '../../src/ports/payout-provider';
import { recogniseErrorsOfNode, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { paidIn, returnedIn } from '../support/payments/answers';
import { aThaiCode } from '../support/payments/qr-codes';
import { ANSWERS, CENTS, UNKNOWN_TIMEOUT_SECONDS, withPayouts } from './payout-world';

recogniseErrorsOfNode();

const CODE = aThaiCode();
const PAID = { outcome: 'paid', isEndpointFast: false };
const [UNKNOWN, PENDING] = [
  { outcome: 'unknown', isUnsent: false },
  { outcome: 'pending', isUnsent: false },
];

const { declined, notFound, paid, pending, unknown } = ANSWERS;

const payouts = withPayouts();

describe('an attempt delayed after its record', () => {
  it.each([
    ['payOutAtOnce', {}, ['record']],
    ['payOut', {}, ['begin', 'record']],
    ['payOut', { sentSecondsAgo: 6 }, ['begin', 'find th_qrpay', 'record']],
  ] as const)('by more than a second sends nothing (%s, %j)', async (activity, sent, expected) => {
    const payout = await payouts.aPayout({ find: notFound, delayedMs: 1_001, ...sent });
    await payout[activity]().catch(() => undefined);
    expect(payout.calls.map(([what]) => what)).toEqual(expected);
  });

  it.each(['payOutAtOnce', 'payOut'] as const)('by a second still sends (%s)', async (activity) => {
    const payout = await payouts.aPayout({ find: notFound, delayedMs: 1_000 });
    await expect(payout[activity]()).resolves.toMatchObject(PAID);
  });
});

it('a locked payout is neither queried nor sent, and is tried again', async () => {
  const { calls, begun, payOut } = await payouts.aPayout({ sentSecondsAgo: 20, row: 'locked' });
  await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
  expect(calls).toEqual([begun]);
});

describe('an attempt that queries', () => {
  const sentSecondsAgo = 1;

  it('goes to the provider of its corridor', async () => {
    const { calls, order, payOut } = await payouts.aPayout({
      corridor: 'vn_qrpay',
      sentSecondsAgo,
    });
    await payOut();
    const { key, amountUsdCents, corridor, local, reference } = order;
    const question = { key, amountUsdCents, corridor, local, reference };
    expect(calls.at(-1)).toEqual(['find vn_qrpay', question]);
  });

  it('sends nothing when the row allows no payout', async () => {
    const { calls, payOut } = await payouts.aPayout({ row: 'failed' });
    await expect(payOut()).resolves.toEqual({ outcome: 'not_authorized' });
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['paid', paid, { outcome: 'paid' }],
    ['declined', declined, { outcome: 'declined' }],
    ['unknown', unknown, { type: 'PayoutUnknown', message: 'timeout after 5 s' }],
    ['pending', pending, { type: 'PayoutPending' }],
  ])('sends nothing when the provider says %s', async (_says, find, expected) => {
    const { calls, payOut } = await payouts.aPayout({ sentSecondsAgo: 6, find });
    await expect(payOut().catch((error: unknown) => error)).resolves.toMatchObject(expected);
    expect(calls.map(([what]) => what)).toEqual(['begin', 'find th_qrpay']);
  });

  it('sends with the same key if the provider does not know it', async () => {
    const world = await payouts.aPayout({ sentSecondsAgo: 6, find: notFound });
    await expect(world.payOut()).resolves.toMatchObject(PAID);
    expect(world.calls.map(([what]) => what)).toEqual([
      ...['begin', 'find th_qrpay', 'record', 'pay th_qrpay'],
    ]);
    expect(world.calls.at(-1)).toEqual(['pay th_qrpay', world.order]);
  });

  it('throws PayoutUnknown after it has sent again without an answer', async () => {
    const { payOut } = await payouts.aPayout({ sentSecondsAgo: 6, find: notFound, pay: unknown });
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown', nonRetryable: false });
  });

  it('sends nothing until 6 s after a request, even for an unknown key', async () => {
    const world = await payouts.aPayout({ sentSecondsAgo: 5.999, find: notFound });
    await expect(world.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(world.calls.map(([what]) => what)).toEqual(['begin', 'find th_qrpay']);
  });

  it('sends nothing when it queried while an earlier request could still arrive', async () => {
    const whileQueried = (bed: TestBed) => bed.setNow(secondsAfter(NOON, 5));
    const world = await payouts.aPayout({ sentSecondsAgo: 5, find: notFound, whileQueried });
    await expect(world.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(world.calls.map(([what]) => what)).toEqual(['begin', 'find th_qrpay']);
  });

  it('returns the answer of the provider one second after a request', async () => {
    const world = await payouts.aPayout({ sentSecondsAgo, find: paid });
    await expect(world.payOut()).resolves.toMatchObject(PAID);
  });

  it('sends nothing for 6 s if restored rows may not know a request', async () => {
    const world = await payouts.aPayout({ find: notFound });
    await expect(world.payOut({ mayHaveBeenSent: true })).rejects.toMatchObject({
      type: 'PayoutUnknown',
    });
    await payouts.setSecondsAfterNoon(6);
    await expect(world.payOut({ mayHaveBeenSent: true })).resolves.toMatchObject(PAID);
  });
});

describe('the scanned code (decision 20)', () => {
  it.each(['payOutAtOnce', 'payOut'] as const)('goes to the provider by %s', async (activity) => {
    const payout = await payouts.aPayout({ find: notFound, qrPayload: CODE });
    const { calls, order } = payout;
    await payout[activity]();
    expect(calls.at(-1)).toEqual(['pay th_qrpay', { ...order, qrPayload: CODE }]);
  });

  it.each([paid, declined, pending, unknown, notFound])(
    'is in no result or failure when the provider answers %j',
    async (find) => {
      const options = { qrPayload: CODE, sentSecondsAgo: 6, find, pay: unknown };
      const { payOut } = await payouts.aPayout(options);
      const result = await payOut().catch((error: unknown) => error);
      expect(inspect(result, { depth: null, showHidden: true })).not.toContain(CODE);
    },
  );
});

describe('an open outcome', () => {
  const HUNDREDFOLD = UNKNOWN_TIMEOUT_SECONDS * 100;
  const [RETRY_UNKNOWN, RETRY_PENDING] = [{ type: 'PayoutUnknown' }, { type: 'PayoutPending' }];
  const after = (sentSecondsAgo: number, find: QueryAnswer) => ({ sentSecondsAgo, find });

  it.each([
    ['is retried before the timeout', after(0, unknown), RETRY_UNKNOWN, false],
    ['is retried before the timeout', after(1, unknown), RETRY_UNKNOWN, false],
    [
      'is retried before the timeout',
      after(UNKNOWN_TIMEOUT_SECONDS - 0.001, unknown),
      RETRY_UNKNOWN,
      false,
    ],
    ['is returned at the timeout', after(UNKNOWN_TIMEOUT_SECONDS, unknown), UNKNOWN, false],
    ['is returned after the timeout', after(HUNDREDFOLD, unknown), UNKNOWN, false],
    ['is retried once attention is raised', after(HUNDREDFOLD, unknown), RETRY_UNKNOWN, true],
    ['is known once the provider has paid', after(HUNDREDFOLD, paid), PAID, true],
    [
      'is retried for an hour of pending',
      after(UNKNOWN_TIMEOUT_SECONDS * 2, pending),
      RETRY_PENDING,
      false,
    ],
    ['is retried for an hour of pending', after(3_599.999, pending), RETRY_PENDING, false],
    ['is returned after an hour of pending', after(3_600, pending), PENDING, false],
  ])('%s: %j', async (_what, options, expected, isAttentionRaised) => {
    const { payOut } = await payouts.aPayout(options);
    const result = await payOut({ isAttentionRaised }).catch((error: unknown) => error);
    // A failure is compared by its type, a result as a whole.
    expect('type' in expected ? { type: typeOf(result) } : result).toEqual(expected);
  });
});

const typeOf = (error: unknown) => (error as { readonly type?: string }).type;

it('an amount mismatch is returned if the provider answers paid with another amount', async () => {
  const answer = paidIn(CENTS - 1);
  const reported = `${String(CENTS - 1)} cents`;
  const expected = { outcome: 'amount_mismatch', reported, ordered: String(CENTS) };
  const { payOut, payOutAtOnce } = await payouts.aPayout({ pay: answer, find: answer });
  await expect(payOutAtOnce()).resolves.toMatchObject(expected);
  await expect(payOut()).resolves.toMatchObject(expected);
});

describe('the answer of the provider', () => {
  const other = CENTS + 1;
  it.each<readonly [string, readonly string[], QueryAnswer]>([
    ['pending', ['pending'], pending],
    ['paid in another amount', ['amount_mismatch'], paidIn(other)],
    ['paid', ['paid'], paid],
    ['returned', ['returned'], returnedIn(CENTS)],
    ['declined for good', ['unpaid'], declined],
    ['unknown', [], unknown],
  ])('%s is stored as %j', async (_what, stored, find) => {
    const { answered, payOut } = await payouts.aPayout({ sentSecondsAgo: 6, find });
    await payOut({ isAttentionRaised: true }).catch(() => undefined);
    expect(answered).toEqual(stored);
  });

  it('paid is not stored beside the capture', async () => {
    const { answered, payOut } = await payouts.aPayout({ sentSecondsAgo: 6, find: paid });
    await payOut();
    expect(answered).toEqual([]);
  });

  it('pending forbids to send it again, even if the provider does not know the key later', async () => {
    const world = await payouts.aPayout({ pay: pending, find: notFound });
    await world.payOutAtOnce();
    await payouts.setSecondsAfterNoon(6);
    await expect(world.payOut()).rejects.toMatchObject({
      type: 'PayoutUnknown',
      message: 'the order is not known to it',
    });
    const sent = world.calls.filter(([what]) => what === 'pay th_qrpay');
    expect(sent).toHaveLength(1);
  });
});

it('a payout whose journal cannot be reached is not sent', async () => {
  const world = await payouts.aPayout({ isJournalUnreachable: true });
  await expect(world.payOutAtOnce()).rejects.toThrow('postgres_unavailable');
  await expect(world.payOut()).rejects.toThrow('postgres_unavailable');
  expect(world.calls).toEqual([world.recorded, world.begun]);
});
