// The payout (architecture, section 3): what may have been sent is asked about by key before anything is sent again.
import { inspect } from 'node:util';
import { createPayoutActivities, type PayoutRequest } from '../../activities/payout';
import { stepKey } from '../../src/domain/ids';
import { usdCents } from '../../src/domain/money';
import type { PayoutAttempt } from '../../src/ports/payout-journal';
import type { PayoutOrder, PayoutOutcome } from '../../src/ports/payout-provider';
import { anIntentId } from '../support/builders';
import { createTestClock, NOON, secondsAfter } from '../support/clock';
import { aThaiCode } from '../support/qr-codes';

const PATIENCE_SECONDS = 900;

const REQUEST: PayoutRequest = {
  intentId: anIntentId(),
  amountUsdCents: usdCents(1_250),
  corridor: 'th_qrpay',
  isAttentionRaised: false,
};
const ORDER: PayoutOrder = {
  key: stepKey(REQUEST.intentId, 'payout'),
  amountUsdCents: 1_250,
  corridor: 'th_qrpay',
  qrPayload: null,
};
const CODE = aThaiCode();
const PAID = { outcome: 'paid' };

const paid: PayoutOutcome = { outcome: 'paid', amountUsdCents: 1_250 };
const declined: PayoutOutcome = { outcome: 'declined', amountUsdCents: 1_250 };
const pending: PayoutOutcome = { outcome: 'pending', amountUsdCents: 1_250 };
const unknown: PayoutOutcome = { outcome: 'unknown', cause: 'timeout after 5 s' };
const notFound: PayoutOutcome = { outcome: 'not_found' };

interface World {
  /** How long the worker is held up after it has recorded an attempt. */
  readonly heldUpMs?: number;
  readonly attempt?: Partial<PayoutAttempt>;
  readonly pay?: PayoutOutcome;
  readonly find?: PayoutOutcome;
}

/** A provider that answers as told, a journal likewise, and everything they were asked, in order. */
function aWorld({ attempt, pay = paid, find = paid, heldUpMs = 0 }: World) {
  const clock = createTestClock();
  const asked: (readonly [string, unknown])[] = [];
  const provider = (corridor: string) => ({
    pay: (order: PayoutOrder) => {
      asked.push([`pay ${corridor}`, order]);
      return Promise.resolve(pay);
    },
    find: (order: PayoutOrder) => {
      asked.push([`find ${corridor}`, order]);
      return Promise.resolve(find);
    },
  });
  const { payOut } = createPayoutActivities({
    providers: { th_qrpay: provider('th_qrpay'), vn_qrpay: provider('vn_qrpay') },
    payoutJournal: {
      beginAttempt: (intentId) => {
        asked.push(['begin', intentId]);
        clock.turnTo(secondsAfter(NOON, heldUpMs / 1_000));
        return Promise.resolve({ kind: 'first', sinceFirstMs: 0, qrPayload: null, ...attempt });
      },
    },
    clock,
    payoutUnknownSeconds: PATIENCE_SECONDS,
  });
  return { asked, payOut };
}

describe('an attempt that was held up', () => {
  it.each([
    ['first', [['begin', REQUEST.intentId]]],
    [
      'repeat',
      [
        ['begin', REQUEST.intentId],
        ['find th_qrpay', expect.anything()],
      ],
    ],
  ] as const)('for more than ten seconds sends nothing (%s)', async (kind, expected) => {
    const { asked, payOut } = aWorld({
      attempt: { kind, sinceFirstMs: 0 },
      find: notFound,
      heldUpMs: 10_001,
    });
    await expect(payOut(REQUEST)).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(asked).toEqual(expected);
  });
  it('for ten seconds still sends', async () => {
    await expect(aWorld({ heldUpMs: 10_000 }).payOut(REQUEST)).resolves.toEqual(PAID);
  });
});

it('while operations have it judged nothing is asked or sent, and it is tried again', async () => {
  const { asked, payOut } = aWorld({ attempt: { kind: 'closed', sinceFirstMs: 0 } });
  await expect(payOut(REQUEST)).rejects.toMatchObject({ type: 'PayoutUnknown' });
  expect(asked).toEqual([['begin', REQUEST.intentId]]);
});

const repeatAfter = (seconds: number) =>
  ({ kind: 'repeat', sinceFirstMs: seconds * 1_000 }) as const;

describe('the first attempt', () => {
  it('is recorded before it is sent, under the key of intent and step', async () => {
    const { asked, payOut } = aWorld({});
    await expect(payOut(REQUEST)).resolves.toEqual({ outcome: 'paid' });
    expect(asked).toEqual([
      ['begin', REQUEST.intentId],
      ['pay th_qrpay', ORDER],
    ]);
  });

  it('goes to the provider of its corridor', async () => {
    const { asked, payOut } = aWorld({});
    await payOut({ ...REQUEST, corridor: 'vn_qrpay' });
    expect(asked.at(-1)).toEqual(['pay vn_qrpay', { ...ORDER, corridor: 'vn_qrpay' }]);
  });

  it('is not sent when the row allows no payout', async () => {
    const { asked, payOut } = aWorld({ attempt: { kind: 'refused' } });
    await expect(payOut(REQUEST)).resolves.toEqual({ outcome: 'not_authorized' });
    expect(asked).toHaveLength(1);
  });

  it('that is declined is an answer and not an exception', async () => {
    await expect(aWorld({ pay: declined }).payOut(REQUEST)).resolves.toEqual({
      outcome: 'declined',
    });
  });

  it('of unknown outcome throws PayoutUnknown with its cause, so that it is asked about', async () => {
    await expect(aWorld({ pay: unknown }).payOut(REQUEST)).rejects.toMatchObject({
      type: 'PayoutUnknown',
      message: 'timeout after 5 s',
      nonRetryable: false,
    });
  });

  it('that is pending throws PayoutPending, so that it is asked about', async () => {
    await expect(aWorld({ pay: pending }).payOut(REQUEST)).rejects.toMatchObject({
      type: 'PayoutPending',
      nonRetryable: false,
    });
  });
});

describe('a repeat', () => {
  it.each([
    ['paid', paid],
    ['declined', declined],
  ] as const)('asks by key, and sends nothing when the provider says %s', async (outcome, find) => {
    const { asked, payOut } = aWorld({ attempt: repeatAfter(1), find });
    await expect(payOut(REQUEST)).resolves.toEqual({ outcome });
    expect(asked).toEqual([
      ['begin', REQUEST.intentId],
      ['find th_qrpay', ORDER],
    ]);
  });

  it.each([
    ['is unknown', unknown, 'PayoutUnknown'],
    ['is pending', pending, 'PayoutPending'],
  ] as const)('sends nothing when the answer %s', async (_name, find, type) => {
    const { asked, payOut } = aWorld({ attempt: repeatAfter(1), find });
    await expect(payOut(REQUEST)).rejects.toMatchObject({ type });
    expect(asked.map(([what]) => what)).toEqual(['begin', 'find th_qrpay']);
  });

  it('sends again with the same key when the provider does not know it', async () => {
    const { asked, payOut } = aWorld({ attempt: repeatAfter(1), find: notFound });
    await expect(payOut(REQUEST)).resolves.toEqual({ outcome: 'paid' });
    expect(asked).toEqual([
      ['begin', REQUEST.intentId],
      ['find th_qrpay', ORDER],
      ['pay th_qrpay', ORDER],
    ]);
  });

  it('that had to send again and learned nothing throws PayoutUnknown', async () => {
    const world = aWorld({ attempt: repeatAfter(1), find: notFound, pay: unknown });
    await expect(world.payOut(REQUEST)).rejects.toMatchObject({ type: 'PayoutUnknown' });
  });
});

describe('the scanned code (decision 20)', () => {
  const attempt = { qrPayload: CODE };

  it('goes to the provider with the order, as the row has it', async () => {
    const { asked, payOut } = aWorld({ attempt });
    await payOut(REQUEST);
    expect(asked.at(-1)).toEqual(['pay th_qrpay', { ...ORDER, qrPayload: CODE }]);
  });

  it('goes with a repeat that has to send again too', async () => {
    const { asked, payOut } = aWorld({
      attempt: { ...repeatAfter(1), ...attempt },
      find: notFound,
    });
    await payOut(REQUEST);
    expect(asked.at(-1)).toEqual(['pay th_qrpay', { ...ORDER, qrPayload: CODE }]);
  });

  it.each([paid, declined, pending, unknown, notFound])(
    'is in nothing that Temporal is told when the provider answers %j',
    async (find) => {
      const world = aWorld({ attempt: { ...repeatAfter(1), ...attempt }, find, pay: unknown });
      const told = await world.payOut(REQUEST).catch((error: unknown) => error);
      expect(inspect(told, { depth: null, showHidden: true })).not.toContain(CODE);
    },
  );
});

describe('patience with an unknown outcome', () => {
  it.each([0, 1, PATIENCE_SECONDS - 0.001])('lasts after %d s', async (seconds) => {
    const world = aWorld({ attempt: repeatAfter(seconds), find: unknown });
    await expect(world.payOut(REQUEST)).rejects.toMatchObject({ type: 'PayoutUnknown' });
  });

  it.each([PATIENCE_SECONDS, PATIENCE_SECONDS * 100])(
    'is over after %d s: unknown is returned, for the workflow to tell operations',
    async (seconds) => {
      const world = aWorld({ attempt: repeatAfter(seconds), find: unknown });
      await expect(world.payOut(REQUEST)).resolves.toEqual({ outcome: 'unknown' });
    },
  );

  it('has no end once operations have been told: it is asked about until it is known', async () => {
    const told = { ...REQUEST, isAttentionRaised: true };
    const world = aWorld({ attempt: repeatAfter(PATIENCE_SECONDS * 100), find: unknown });
    await expect(world.payOut(told)).rejects.toMatchObject({ type: 'PayoutUnknown' });
    const known = aWorld({ attempt: repeatAfter(PATIENCE_SECONDS * 100), find: paid });
    await expect(known.payOut(told)).resolves.toEqual(PAID);
  });
});

describe('patience with a pending payout', () => {
  it.each([
    [PATIENCE_SECONDS * 2, 'throws'],
    [3_599.999, 'throws'],
  ])('lasts for an hour, so after %d s it %s', async (seconds) => {
    const world = aWorld({ attempt: repeatAfter(seconds), find: pending });
    await expect(world.payOut(REQUEST)).rejects.toMatchObject({ type: 'PayoutPending' });
  });

  it('is over after an hour: operations are told', async () => {
    const world = aWorld({ attempt: repeatAfter(3_600), find: pending });
    await expect(world.payOut(REQUEST)).resolves.toEqual({ outcome: 'pending' });
  });
});

describe('a contrary answer', () => {
  it.each(['paid', 'declined'] as const)(
    'of another amount is never taken for %s',
    async (outcome) => {
      const contrary: PayoutOutcome = { outcome, amountUsdCents: 1_249 };
      const expected = { outcome: 'contrary', reportedUsdCents: 1_249 };
      await expect(aWorld({ pay: contrary }).payOut(REQUEST)).resolves.toEqual(expected);
      const repeated = aWorld({ attempt: repeatAfter(1), find: contrary });
      await expect(repeated.payOut(REQUEST)).resolves.toEqual(expected);
    },
  );
});

describe('a journal that fails', () => {
  it('sends nothing', async () => {
    const sent: string[] = [];
    const provider = {
      pay: () => Promise.resolve((sent.push('pay'), paid)),
      find: () => Promise.resolve((sent.push('find'), paid)),
    };
    const { payOut } = createPayoutActivities({
      providers: { th_qrpay: provider, vn_qrpay: provider },
      payoutJournal: { beginAttempt: () => Promise.reject(new Error('postgres is away')) },
      clock: createTestClock(),
      payoutUnknownSeconds: PATIENCE_SECONDS,
    });
    await expect(payOut(REQUEST)).rejects.toThrow('postgres is away');
    expect(sent).toEqual([]);
  });
});
