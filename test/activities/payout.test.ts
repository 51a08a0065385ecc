// The payout (architecture, section 3): what may have been sent is asked about by key before anything is sent again.
import { inspect } from 'node:util';
import type { PayoutOutcome } from '../../src/ports/payouts/provider';
import { recogniseErrorsOfNode, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aThaiCode } from '../support/payments/qr-codes';
import { ANSWERS, CENTS, withPayouts, PATIENCE_SECONDS } from './payout-world';

recogniseErrorsOfNode();

const CODE = aThaiCode();
const PAID = { outcome: 'paid' };
const TOLD = { unknown: { outcome: 'unknown' }, pending: { outcome: 'pending' } };

const { declined, notFound, paid, pending, unknown } = ANSWERS;

const payouts = withPayouts();

describe('an attempt that was held up after its record', () => {
  it.each([
    ['payOutAtOnce', ['record']],
    ['payOut', ['begin', 'find th_qrpay', 'record']],
  ] as const)('for more than a second sends nothing (%s)', async (activity, expected) => {
    const payout = await payouts.aPayout({ find: notFound, heldUpMs: 1_001 });
    await payout[activity]().catch(() => undefined);
    expect(payout.asked.map(([what]) => what)).toEqual(expected);
  });

  it.each(['payOutAtOnce', 'payOut'] as const)(
    'for a second still sends (%s)',
    async (activity) => {
      const payout = await payouts.aPayout({ find: notFound, heldUpMs: 1_000 });
      await expect(payout[activity]()).resolves.toMatchObject(PAID);
    },
  );
});

it('while operations have it judged nothing is asked or sent, and it is tried again', async () => {
  const { asked, begun, payOut } = await payouts.aPayout({
    sentSecondsAgo: 20,
    standing: 'judged_by_operations',
  });
  await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
  expect(asked).toEqual([begun]);
});

describe('an attempt that queries', () => {
  const sentSecondsAgo = 1;

  it('goes to the provider of its corridor', async () => {
    const { asked, order, payOut } = await payouts.aPayout({ corridor: 'vn_qrpay' });
    await payOut();
    const question = { ...order, qrPayload: undefined };
    expect(asked.at(-1)).toEqual(['find vn_qrpay', question]);
  });

  it('is not sent when the row allows no payout', async () => {
    const { asked, payOut } = await payouts.aPayout({ standing: 'not_authorized' });
    await expect(payOut()).resolves.toEqual({ outcome: 'not_authorized' });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['paid', paid, { outcome: 'paid' }],
    ['declined', declined, { outcome: 'declined' }],
    ['unknown', unknown, { type: 'PayoutUnknown', message: 'timeout after 5 s' }],
    ['pending', pending, { type: 'PayoutPending' }],
  ])('sends nothing when the provider says %s', async (_says, find, expected) => {
    const { asked, payOut } = await payouts.aPayout({ sentSecondsAgo: 6, find });
    await expect(payOut().catch((error: unknown) => error)).resolves.toMatchObject(expected);
    expect(asked.map(([what]) => what)).toEqual(['begin', 'find th_qrpay']);
  });

  it('sends with the same key when the provider does not know it', async () => {
    const world = await payouts.aPayout({ sentSecondsAgo: 6, find: notFound });
    await expect(world.payOut()).resolves.toMatchObject(PAID);
    expect(world.asked.map(([what]) => what)).toEqual([
      ...['begin', 'find th_qrpay', 'record', 'pay th_qrpay'],
    ]);
    expect(world.asked.at(-1)).toEqual(['pay th_qrpay', world.order]);
  });

  it('that had to send again and learned nothing throws PayoutUnknown', async () => {
    const { payOut } = await payouts.aPayout({ sentSecondsAgo: 6, find: notFound, pay: unknown });
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown', nonRetryable: false });
  });

  it('sends nothing until 6 s after a sending, though the provider does not know the key', async () => {
    const world = await payouts.aPayout({ sentSecondsAgo: 5.999, find: notFound });
    await expect(world.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(world.asked.map(([what]) => what)).toEqual(['begin', 'find th_qrpay']);
  });

  it('sends nothing when it queried before an earlier sending was over', async () => {
    const whileQueried = (bed: TestBed) => bed.setNow(secondsAfter(NOON, 5));
    const world = await payouts.aPayout({ sentSecondsAgo: 5, find: notFound, whileQueried });
    await expect(world.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(world.asked.map(([what]) => what)).toEqual(['begin', 'find th_qrpay']);
  });

  it('returns what the provider answers, however short ago it was sent', async () => {
    const world = await payouts.aPayout({ sentSecondsAgo, find: paid });
    await expect(world.payOut()).resolves.toMatchObject(PAID);
  });

  it('sends nothing for 6 s where the rows may have forgotten a sending', async () => {
    const world = await payouts.aPayout({ find: notFound });
    await expect(world.payOut({ mayHaveBeenSent: true })).rejects.toMatchObject({
      type: 'PayoutUnknown',
    });
    await payouts.setSeconds(6);
    await expect(world.payOut({ mayHaveBeenSent: true })).resolves.toMatchObject(PAID);
  });
});

describe('the scanned code (decision 20)', () => {
  it.each(['payOutAtOnce', 'payOut'] as const)('goes to the provider by %s', async (activity) => {
    const payout = await payouts.aPayout({ find: notFound, qrPayload: CODE });
    const { asked, order } = payout;
    await payout[activity]();
    expect(asked.at(-1)).toEqual(['pay th_qrpay', { ...order, qrPayload: CODE }]);
  });

  it.each([paid, declined, pending, unknown, notFound])(
    'is in nothing that Temporal is told when the provider answers %j',
    async (find) => {
      const wish = { qrPayload: CODE, sentSecondsAgo: 6, find, pay: unknown };
      const { payOut } = await payouts.aPayout(wish);
      const told = await payOut().catch((error: unknown) => error);
      expect(inspect(told, { depth: null, showHidden: true })).not.toContain(CODE);
    },
  );
});

describe('timeout', () => {
  const HUNDREDFOLD = PATIENCE_SECONDS * 100;
  const [ASKS_ON, WAITS_ON] = [{ type: 'PayoutUnknown' }, { type: 'PayoutPending' }];
  const after = (sentSecondsAgo: number, find: PayoutOutcome) => ({ sentSecondsAgo, find });

  it.each([
    ['lasts while it is unknown', after(0, unknown), ASKS_ON, false],
    ['lasts while it is unknown', after(1, unknown), ASKS_ON, false],
    ['lasts while it is unknown', after(PATIENCE_SECONDS - 0.001, unknown), ASKS_ON, false],
    ['is over: operations are told', after(PATIENCE_SECONDS, unknown), TOLD.unknown, false],
    ['is over: operations are told', after(HUNDREDFOLD, unknown), TOLD.unknown, false],
    ['has no end once they have been told', after(HUNDREDFOLD, unknown), ASKS_ON, true],
    ['has no end until it is known', after(HUNDREDFOLD, paid), PAID, true],
    ['lasts for an hour of pending', after(PATIENCE_SECONDS * 2, pending), WAITS_ON, false],
    ['lasts for an hour of pending', after(3_599.999, pending), WAITS_ON, false],
    ['is over after that: operations are told', after(3_600, pending), TOLD.pending, false],
  ])('%s: %j', async (_what, wish, expected, isAttentionRaised) => {
    const { payOut } = await payouts.aPayout(wish);
    const told = await payOut({ isAttentionRaised }).catch((error: unknown) => error);
    // A failure has a type, an answer is nothing but itself.
    expect('type' in expected ? { type: typeOf(told) } : told).toEqual(expected);
  });
});

const typeOf = (error: unknown) => (error as { readonly type?: string }).type;

describe('a contrary answer', () => {
  it.each(['paid', 'declined'] as const)(
    'of another amount is never taken for %s',
    async (outcome) => {
      const contrary: PayoutOutcome = { outcome, amountUsdCents: CENTS - 1 };
      const expected = { outcome: 'contrary', reportedUsdCents: CENTS - 1 };
      const { payOut, payOutAtOnce } = await payouts.aPayout({ pay: contrary, find: contrary });
      await expect(payOutAtOnce()).resolves.toMatchObject(expected);
      await expect(payOut()).resolves.toEqual(expected);
    },
  );
});

describe('that the provider has the payout is kept before it is told', () => {
  const other = CENTS + 1;
  it.each<readonly [string, PayoutOutcome, boolean]>([
    ['pending', pending, true],
    ['paid in another amount', { outcome: 'paid', amountUsdCents: other }, true],
    ['paid', paid, true],
    ['declined in another amount', { outcome: 'declined', amountUsdCents: other }, false],
    ['declined', declined, false],
    ['unknown', unknown, false],
  ])('when it says %s', async (_what, find, isKept) => {
    const { kept, payOut, order } = await payouts.aPayout({ find });
    await payOut({ isAttentionRaised: true }).catch(() => undefined);
    expect(kept.map((id) => `${id}:payout`)).toEqual(isKept ? [order.key] : []);
  });

  it('but not where it is captured', async () => {
    const { kept, payOut } = await payouts.aPayout({ find: paid });
    await payOut();
    expect(kept).toEqual([]);
  });

  it('and what it had is not sent again, also when it does not know it any more', async () => {
    const world = await payouts.aPayout({ pay: pending, find: notFound });
    await world.payOutAtOnce();
    await payouts.setSeconds(6);
    await expect(world.payOut()).rejects.toMatchObject({
      type: 'PayoutUnknown',
      message: 'the order is not known to it',
    });
    const sent = world.asked.filter(([what]) => what === 'pay th_qrpay');
    expect(sent).toHaveLength(1);
  });

  it('once: a later attempt reads it', async () => {
    const world = await payouts.aPayout({ pay: pending, find: pending });
    await world.payOutAtOnce();
    await world.payOut().catch(() => undefined);
    expect(world.kept).toHaveLength(1);
  });
});

it('a journal that cannot be reached sends nothing', async () => {
  const world = await payouts.aPayout({ isJournalAway: true });
  await expect(world.payOutAtOnce()).rejects.toThrow('postgres_unavailable');
  await expect(world.payOut()).rejects.toThrow('postgres_unavailable');
  expect(world.asked).toEqual([world.recorded, world.begun]);
});
