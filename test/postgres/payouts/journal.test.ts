// The payout journal (architecture, section 3): a payout implies a debit, and a payment whose
// payout may have been sent is never cancelled.
import { usdCents } from '../../../src/domain/money';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { Queryable } from '../../../src/postgres/database';
import { createFundsAccount } from '../../../src/postgres/ledger/holding-account';
import { createPayoutJournal } from '../../../src/postgres/payouts/journal';
import { recorded } from '../../support/payments/answers';
import { aDebitedIntent, anIntent, balanceOf, move, times, within } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { beginAttempt, recordSent, recordSentAgain } from '../../support/payments/payouts';
import { untilBlocked } from '../../support/until-blocked';
import { withDatabase, withPartner } from '../../support/brackets';
import { ACCOUNT, NOT_ORDERED, TERMS } from '../../support/payments/accounts';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const debited = () => aDebitedIntent(bed, partner);
const begin = ({ intentId }: PaymentIntent) => beginAttempt(bed, intentId);
const send = ({ intentId }: PaymentIntent) => recordSent(bed, intentId);
const sendAgain = ({ intentId }: PaymentIntent, number: number) =>
  recordSentAgain(bed, intentId, number);
const tick = (at: Date) =>
  bed.database.query({ text: 'update restore_watch set ticked_at = $1', values: [at] });
const onTimeline = (timeline: string) =>
  bed.database.query({ text: `update restore_watch set timeline = ${timeline}` });
const FIRST = {
  qrPayload: null,
  payer: expect.stringMatching(/^partner-\d+:user-4711$/) as string,
  token: null,
  order: { ...NOT_ORDERED, account: ACCOUNT },
};

describe('the first sending', () => {
  it('is recorded once, and not after an attempt that queried the provider', async () => {
    const [sent, queried] = [await debited(), await debited()];
    await expect(send(sent)).resolves.toEqual(FIRST);
    await expect(send(sent)).resolves.toBeUndefined();
    await begin(queried);
    await expect(send(queried)).resolves.toBeUndefined();
  });

  it('begun ten times at once is recorded by exactly one', async () => {
    const intent = await debited();
    const sendings = await times(10, () => send(intent));
    expect(sendings.filter((sending) => sending !== undefined)).toEqual([FIRST]);
  });

  it.each([
    [2, true],
    [2.001, false],
  ])(
    '%d s after its debit is recorded: %s, because a repeated workflow task begins later',
    async (seconds, isRecorded) => {
      const intent = await debited();
      await bed.setNow(secondsAfter(NOON, seconds));
      await expect(send(intent)).resolves.toEqual(isRecorded ? FIRST : undefined);
    },
  );

  it.each([
    [44.999, true],
    [45, false],
  ])(
    '%d s after the last tick of the restore watch is recorded: %s, as Postgres may be restored since',
    async (seconds, isRecorded) => {
      const intent = await debited();
      await tick(secondsAfter(NOON, -seconds));
      await expect(send(intent)).resolves.toEqual(isRecorded ? FIRST : undefined);
      await tick(secondsAfter(NOON, 1_000_000_000));
    },
  );

  it('is not recorded on another timeline than that of the last tick, nor if older', async () => {
    const [unticked, ticked] = [await debited(), await debited()];
    await onTimeline(`'0000000A'`);
    await expect(send(unticked)).resolves.toBeUndefined();
    await onTimeline(`log_timeline(), timeline_changed_at = service_now()`);
    await expect(send(ticked)).resolves.toBeUndefined();
    await bed.setNow(secondsAfter(NOON, 4));
    await expect(send(await debited())).resolves.toEqual(FIRST);
    await onTimeline(`log_timeline(), timeline_changed_at = null`);
  });

  it('may be lost by a failover: an attempt after it is not quiet for 6 s', async () => {
    const intent = await debited();
    await onTimeline(`'0000000A'`);
    await expect(begin(intent)).resolves.toMatchObject({ record: { isQuiet: false } });
    await bed.setNow(secondsAfter(NOON, 6));
    await expect(begin(intent)).resolves.toMatchObject({ record: { isQuiet: true } });
    await onTimeline(`log_timeline()`);
  });

  it('is not recorded where nothing was debited, or for another amount or corridor', async () => {
    const notDebited = await anIntent(bed, partner, { status: 'authorized' });
    await expect(send(notDebited)).resolves.toBeUndefined();
    const { intentId, ...terms } = await debited();
    const others = [
      { ...terms, amountUsdCents: usdCents(terms.amountUsdCents + 1) },
      { ...terms, corridor: 'vn_qrpay' as const },
    ];
    for (const other of others) {
      const sending = bed.payoutJournal.recordFirstSending(intentId, other, TERMS);
      await expect(sending).resolves.toBeUndefined();
      await expect(bed.payoutJournal.beginAttempt(intentId, other, true)).resolves.toMatchObject({
        kind: 'not_payable',
      });
    }
  });
});

describe('a later sending', () => {
  it.each([
    [5.999, false],
    [6, true],
  ])('%d s after the previous one is recorded: %s', async (seconds, isRecorded) => {
    const intent = await debited();
    await send(intent);
    await bed.setNow(secondsAfter(NOON, seconds));
    await expect(begin(intent)).resolves.toMatchObject({
      ...{ record: { isQuiet: isRecorded }, number: 2 },
    });
    await expect(sendAgain(intent, 2)).resolves.toEqual(isRecorded ? FIRST : undefined);
  });

  it('is recorded once per attempt', async () => {
    const intent = await debited();
    await begin(intent);
    await expect(sendAgain(intent, 1)).resolves.toEqual(FIRST);
    await expect(sendAgain(intent, 1)).resolves.toBeUndefined();
  });

  it('is not recorded once another attempt has begun since', async () => {
    const intent = await debited();
    await begin(intent);
    await begin(intent);
    await expect(sendAgain(intent, 1)).resolves.toBeUndefined();
    await expect(sendAgain(intent, 2)).resolves.toEqual(FIRST);
  });

  it('is not recorded once the provider has accepted the payout', async () => {
    const intent = await debited();
    await begin(intent);
    await bed.payoutJournal.recordAnswer(intent.intentId, 1, recorded('pending'));
    await expect(sendAgain(intent, 1)).resolves.toBeUndefined();
  });

  it.each([
    ['has declined', 'declined', undefined],
    ['has refused it for good', undefined, 'compliance'],
  ] as const)('is not recorded once the provider %s', async (_what, answer, code) => {
    const intent = await debited();
    const { intentId } = intent;
    await begin(intent);
    if (answer !== undefined) await bed.payoutJournal.recordAnswer(intentId, 1, recorded(answer));
    if (code !== undefined) await bed.payoutJournal.recordRefusal(intentId, code);
    await begin(intent);
    await expect(sendAgain(intent, 2)).resolves.toBeUndefined();
  });

  it('is recorded after refusals that pass', async () => {
    const intent = await debited();
    await begin(intent);
    await bed.payoutJournal.recordRefusal(intent.intentId, 'insufficient_balance');
    await begin(intent);
    await expect(sendAgain(intent, 2)).resolves.toEqual(FIRST);
  });

  it('is not recorded once the payment has ended', async () => {
    const intent = await debited();
    await begin(intent);
    await move(bed, intent.intentId, 'fail');
    await expect(sendAgain(intent, 1)).resolves.toBeUndefined();
  });
});

// Postgres may have been restored to an earlier time, so a paid payment may be `created` again
// (decision 127).
it.each([
  ['cancel', 'cancelled', 'partner'],
  ['expire', 'expired', 'system'],
] as const)(
  'a %s while the restore watch does not tick waits for the provider’s answer',
  async (event, status, actor) => {
    const { intentId, expiresAt } = await anIntent(bed, partner);
    if (event === 'expire') await bed.setNow(expiresAt);
    await tick(secondsAfter(NOON, -45));
    const end = { intentId, from: 'created', event, actor } as const;
    await expect(bed.intents.transition(end)).resolves.toMatchObject({ outcome: 'not_queried' });
    const known = { ...end, queryId: 'query-2' };
    await bed.payoutJournal.recordUnpaid(intentId, 'query-1');
    await expect(bed.intents.transition(known)).resolves.toMatchObject({ outcome: 'not_queried' });
    await bed.payoutJournal.recordUnpaid(intentId, 'query-2');
    await expect(bed.intents.transition(known)).resolves.toMatchObject({ status });
    await tick(secondsAfter(NOON, 1_000_000_000));
  },
);

describe('a cancel of an authorized intent', () => {
  const cancel = ({ intentId }: PaymentIntent) =>
    move(bed, intentId, 'cancel', { from: 'authorized', actor: 'partner' });

  it.each([
    ['a payout attempt', begin],
    ['a sending', send],
  ] as const)('changes nothing once %s was recorded', async (_what, attempt) => {
    const intent = await debited();
    await attempt(intent);
    await expect(cancel(intent)).resolves.toMatchObject({ outcome: 'other', status: 'authorized' });
  });

  it('that came first prevents a payout attempt', async () => {
    const intent = await debited();
    await expect(cancel(intent)).resolves.toMatchObject({ outcome: 'did' });
    await expect(begin(intent)).resolves.toMatchObject({ kind: 'not_payable' });
  });

  // These races have a fixed order: the other statement has locked the row, and the transition
  // waits for it.
  it('that waited while a payout attempt was recorded changes nothing', async () => {
    const intent = await debited();
    const { result, report } = await whileHeld(
      (connection) =>
        createPayoutJournal(connection).recordFirstSending(intent.intentId, intent, TERMS),
      () => cancel(intent),
    );
    expect(result).toEqual(FIRST);
    expect(report).toMatchObject({ outcome: 'other', status: 'authorized' });
  });

  it.each(['cancel', 'fail'] as const)(
    'or its %s that waited while a debit committed releases that debit',
    async (event) => {
      const intent = await anIntent(bed, partner, { status: 'authorized' });
      const held = await balanceOf(bed, 'reserved');
      const { result } = await whileHeld(
        (connection) =>
          createFundsAccount(within(connection)).debit(intent.intentId, intent.amountUsdCents),
        () => move(bed, intent.intentId, event, { from: 'authorized' }),
      );
      expect(result).toBe('debited');
      expect(await balanceOf(bed, 'reserved')).toBe(held);
    },
  );
});

/** Runs `first` inside a transaction that commits only once `second` waits for a lock. */
async function whileHeld<First, Second>(
  first: (connection: Queryable) => Promise<First>,
  second: () => Promise<Second>,
): Promise<{ readonly result: First; readonly report: Second }> {
  let waiting: Promise<Second> | undefined;
  const result = await bed.database.inTransaction(async (connection) => {
    const done = await first(connection);
    waiting = second();
    await untilBlocked(connection);
    return done;
  });
  if (waiting === undefined) throw new Error('the transaction did not run');
  return { result, report: await waiting };
}
