// The payout (architecture, section 3): what may have been sent is asked about by key before anything is sent again.
import { inspect } from 'node:util';
import type { PayoutOutcome } from '../../src/ports/payout-provider';
import { recogniseErrorsOfNode } from '../support/builders';
import { aThaiCode } from '../support/qr-codes';
import { CENTS, withPayouts, PATIENCE_SECONDS } from './payout-world';

recogniseErrorsOfNode();

const CODE = aThaiCode();
const PAID = { outcome: 'paid' };
const TOLD = { unknown: { outcome: 'unknown' }, pending: { outcome: 'pending' } };

const paid: PayoutOutcome = { outcome: 'paid', amountUsdCents: CENTS };
const declined: PayoutOutcome = { outcome: 'declined', amountUsdCents: CENTS };
const pending: PayoutOutcome = { outcome: 'pending', amountUsdCents: CENTS };
const unknown: PayoutOutcome = { outcome: 'unknown', cause: 'timeout after 5 s' };
const notFound: PayoutOutcome = { outcome: 'not_found' };

const payouts = withPayouts();

describe('an attempt that was held up', () => {
  it.each([
    ['first', {}, ['begin']],
    ['repeated', { firstSentSecondsAgo: 1 }, ['begin', 'find th_qrpay']],
  ] as const)('for more than ten seconds sends nothing (%s)', async (_which, wish, expected) => {
    const { asked, payOut } = await payouts.aPayout({ ...wish, find: notFound, heldUpMs: 10_001 });
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(asked.map(([what]) => what)).toEqual(expected);
  });

  it('for ten seconds still sends', async () => {
    const { payOut } = await payouts.aPayout({ heldUpMs: 10_000 });
    await expect(payOut()).resolves.toMatchObject(PAID);
  });
});

it('while operations have it judged nothing is asked or sent, and it is tried again', async () => {
  const { asked, begun, payOut } = await payouts.aPayout({
    firstSentSecondsAgo: 20,
    standing: 'judged_by_operations',
  });
  await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
  expect(asked).toEqual([begun]);
});

describe('the first attempt', () => {
  it('is recorded before it is sent, under the key of intent and step', async () => {
    const { asked, begun, order, payOut } = await payouts.aPayout({});
    await expect(payOut()).resolves.toMatchObject(PAID);
    expect(asked).toEqual([begun, ['pay th_qrpay', order]]);
    expect(order.key).toBe(`${begun[1]}:payout`);
  });

  it('goes to the provider of its corridor', async () => {
    const { asked, order, payOut } = await payouts.aPayout({ corridor: 'vn_qrpay' });
    await payOut();
    expect(asked.at(-1)).toEqual(['pay vn_qrpay', order]);
  });

  it('is not sent when the row allows no payout', async () => {
    const { asked, payOut } = await payouts.aPayout({ standing: 'not_authorized' });
    await expect(payOut()).resolves.toEqual({ outcome: 'not_authorized' });
    expect(asked).toHaveLength(1);
  });

  it('that is declined is an answer and not an exception', async () => {
    const { payOut } = await payouts.aPayout({ pay: declined });
    await expect(payOut()).resolves.toEqual({ outcome: 'declined' });
  });

  it.each([
    ['unknown', 'PayoutUnknown', unknown, 'timeout after 5 s'],
    ['pending', 'PayoutPending', pending, ''],
  ])(
    'of %s outcome throws %s with its cause, so that it is asked about',
    async (_what, type, pay, cause) => {
      const { payOut } = await payouts.aPayout({ pay, find: pay });
      await expect(payOut()).rejects.toMatchObject({
        ...{ type, nonRetryable: false },
        message: expect.stringContaining(cause) as string,
      });
    },
  );
});

describe('a repeat', () => {
  const firstSentSecondsAgo = 1;

  it.each([
    ['paid', paid, { outcome: 'paid' }],
    ['declined', declined, { outcome: 'declined' }],
    ['unknown', unknown, { type: 'PayoutUnknown' }],
    ['pending', pending, { type: 'PayoutPending' }],
  ])('asks by key, and sends nothing when the provider says %s', async (_says, find, expected) => {
    const { asked, begun, order, payOut } = await payouts.aPayout({ firstSentSecondsAgo, find });
    await expect(payOut().catch((error: unknown) => error)).resolves.toMatchObject(expected);
    expect(asked).toEqual([begun, ['find th_qrpay', order]]);
  });

  it('sends again with the same key when the provider does not know it', async () => {
    const world = await payouts.aPayout({ firstSentSecondsAgo, find: notFound });
    await expect(world.payOut()).resolves.toMatchObject(PAID);
    expect(world.asked).toEqual([
      world.begun,
      ['find th_qrpay', world.order],
      ['pay th_qrpay', world.order],
    ]);
  });

  it('that had to send again and learned nothing throws PayoutUnknown', async () => {
    const { payOut } = await payouts.aPayout({ firstSentSecondsAgo, find: notFound, pay: unknown });
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
  });
});

describe('an attempt beside another that has not ended', () => {
  const wish = { isUnderWay: true, find: notFound };

  it('sends nothing until 16 s after it began, though the provider does not know the key', async () => {
    const world = await payouts.aPayout({ ...wish, firstSentSecondsAgo: 15.999 });
    await expect(world.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(world.asked).toEqual([world.begun, ['find th_qrpay', world.order]]);
  });

  it('returns what the provider answers', async () => {
    const world = await payouts.aPayout({ ...wish, firstSentSecondsAgo: 1, find: paid });
    await expect(world.payOut()).resolves.toMatchObject(PAID);
  });

  it('sends again once its time is over', async () => {
    const world = await payouts.aPayout({ ...wish, firstSentSecondsAgo: 16 });
    await expect(world.payOut()).resolves.toMatchObject(PAID);
    expect(world.asked.at(-1)).toEqual(['pay th_qrpay', world.order]);
  });
});

it.each([
  ['an order that is not answered', {}],
  ['a query that is not answered', { firstSentSecondsAgo: 1 }],
])('after %s the next attempt may send at once', async (_which, wish) => {
  const world = await payouts.aPayout({ ...wish, pay: unknown, find: unknown });
  await expect(world.payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
  await expect(world.next()).resolves.toMatchObject({ maySend: true });
});

it('a first attempt by the journal that Temporal counts as its second queries the provider first', async () => {
  const world = await payouts.aPayout({ attemptNumber: 2, pay: paid });
  await expect(world.payOut()).resolves.toMatchObject(PAID);
  expect(world.asked).toEqual([world.begun, ['find th_qrpay', world.order]]);
});

it('a first attempt by the journal and Temporal queries the provider first where another run may have sent', async () => {
  const world = await payouts.aPayout({ pay: paid });
  await expect(world.payOut({ mayHaveBeenSent: true })).resolves.toMatchObject(PAID);
  expect(world.asked).toEqual([world.begun, ['find th_qrpay', world.order]]);
});

describe('the scanned code (decision 20)', () => {
  it.each([
    ['with the order, as the row has it', {}],
    ['with a repeat that has to send again too', { firstSentSecondsAgo: 1, find: notFound }],
  ])('goes to the provider %s', async (_when, wish) => {
    const { asked, order, payOut } = await payouts.aPayout({ ...wish, qrPayload: CODE });
    await payOut();
    expect(asked.at(-1)).toEqual(['pay th_qrpay', { ...order, qrPayload: CODE }]);
  });

  it.each([paid, declined, pending, unknown, notFound])(
    'is in nothing that Temporal is told when the provider answers %j',
    async (find) => {
      const wish = { qrPayload: CODE, firstSentSecondsAgo: 1, find, pay: unknown };
      const { payOut } = await payouts.aPayout(wish);
      const told = await payOut().catch((error: unknown) => error);
      expect(inspect(told, { depth: null, showHidden: true })).not.toContain(CODE);
    },
  );
});

describe('patience', () => {
  const HUNDREDFOLD = PATIENCE_SECONDS * 100;
  const [ASKS_ON, WAITS_ON] = [{ type: 'PayoutUnknown' }, { type: 'PayoutPending' }];
  const after = (firstSentSecondsAgo: number, find: PayoutOutcome) => {
    return { firstSentSecondsAgo, find };
  };

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
      const first = await payouts.aPayout({ pay: contrary });
      await expect(first.payOut()).resolves.toEqual(expected);
      const repeated = await payouts.aPayout({ firstSentSecondsAgo: 1, find: contrary });
      await expect(repeated.payOut()).resolves.toEqual(expected);
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
  ])('when it says %s', async (_what, pay, isKept) => {
    const { kept, payOut, order } = await payouts.aPayout({ pay });
    await payOut({ isAttentionRaised: true }).catch(() => undefined);
    expect(kept.map((id) => `${id}:payout`)).toEqual(isKept ? [order.key] : []);
  });

  it('but not where it is captured', async () => {
    const { kept, payOut } = await payouts.aPayout({ pay: paid });
    await payOut();
    expect(kept).toEqual([]);
  });

  it('and what it had is not sent again, also when it does not know it any more', async () => {
    const world = await payouts.aPayout({ pay: pending, find: notFound });
    await world.payOut().catch(() => undefined);
    await expect(world.payOut()).rejects.toMatchObject({
      type: 'PayoutUnknown',
      message: 'the order is not known to it',
    });
    const sent = world.asked.filter(([what]) => what === 'pay th_qrpay');
    expect(sent).toHaveLength(1);
  });

  it('once: who asks again knows it', async () => {
    const world = await payouts.aPayout({ pay: pending, find: pending });
    await world.payOut().catch(() => undefined);
    await world.payOut().catch(() => undefined);
    expect(world.kept).toHaveLength(1);
  });
});

it('a journal that cannot be reached sends nothing', async () => {
  const { asked, begun, payOut } = await payouts.aPayout({ isJournalAway: true });
  await expect(payOut()).rejects.toThrow('postgres_unavailable');
  expect(asked).toEqual([begun]);
});
