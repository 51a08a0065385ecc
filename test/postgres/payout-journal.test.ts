// The payout journal (architecture, section 3): a payout implies a debit, and what may have been sent is never taken
// back.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { Queryable } from '../../src/postgres/database';
import { createFundsAccount } from '../../src/postgres/funds-account';
import { createPayoutJournal } from '../../src/postgres/payout-journal';
import {
  anAttemptId,
  aDebited,
  anIntent,
  balanceOf,
  move,
  times,
  within,
} from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { untilBlocked } from '../support/until-blocked';
import { withDatabase, withPartner } from '../support/brackets';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const debited = () => aDebited(bed, partner);
const begin = ({ intentId }: PaymentIntent, attemptId = anAttemptId()) =>
  bed.payoutJournal.beginAttempt(intentId, attemptId);
const end = ({ intentId }: PaymentIntent, attemptId: string) =>
  bed.payoutJournal.endAttempt(intentId, attemptId);
const tick = (at: Date) =>
  bed.database.query({ text: 'update restore_watch set ticked_at = $1', values: [at] });
const FIRST = { kind: 'first', isTaken: false, maySend: true, sinceFirstMs: 0, qrPayload: null };

describe('an attempt', () => {
  it('is the first, then a repeat, with the time since the first', async () => {
    const intent = await debited();
    await expect(begin(intent)).resolves.toEqual(FIRST);
    await bed.setNow(secondsAfter(NOON, 900));
    const repeat = { ...FIRST, kind: 'repeat', sinceFirstMs: 900_000 };
    await expect(begin(intent)).resolves.toEqual(repeat);
  });

  it.each([
    [-0.001, 'repeat'],
    [16, 'first'],
    [16.001, 'repeat'],
  ])(
    'that begins %d s after the debit is a %s: later, a restored database may have forgotten one',
    async (seconds, kind) => {
      const intent = await debited();
      await bed.setNow(secondsAfter(NOON, seconds));
      await expect(begin(intent)).resolves.toEqual({ ...FIRST, kind });
    },
  );

  it.each([
    [44.999, 'first'],
    [45, 'repeat'],
  ])(
    'that begins %d s after the last tick of the watch is a %s: Postgres may have been put back since',
    async (seconds, kind) => {
      const intent = await debited();
      await tick(secondsAfter(NOON, -seconds));
      await expect(begin(intent)).resolves.toMatchObject({ kind });
      await tick(secondsAfter(NOON, 1_000_000_000));
    },
  );

  it('begun ten times at once is the first for exactly one', async () => {
    const intent = await debited();
    const attempts = await times(10, () => begin(intent));
    const kinds = attempts.map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['first', ...Array<string>(9).fill('repeat')]);
    expect(attempts.filter(({ maySend }) => maySend)).toMatchObject([FIRST]);
  });

  it.each([
    [15.999, false],
    [16, true],
  ])('that begins %d s after one that has not ended may send: %s', async (seconds, maySend) => {
    const intent = await debited();
    await begin(intent);
    await bed.setNow(secondsAfter(NOON, seconds));
    await expect(begin(intent)).resolves.toMatchObject({ kind: 'repeat', maySend });
  });

  it('that may only query leaves the time of the one that may send', async () => {
    const intent = await debited();
    await begin(intent);
    await bed.setNow(secondsAfter(NOON, 15));
    await expect(begin(intent)).resolves.toMatchObject({ maySend: false });
    await bed.setNow(secondsAfter(NOON, 16));
    await expect(begin(intent)).resolves.toMatchObject({ maySend: true });
  });

  it('may send once the one that could has ended, and no other one ends it', async () => {
    const intent = await debited();
    const [first, second, third] = [anAttemptId(), anAttemptId(), anAttemptId()];
    await begin(intent, first);
    await end(intent, first);
    await expect(begin(intent, second)).resolves.toMatchObject({ maySend: true });
    await end(intent, first);
    await expect(begin(intent, third)).resolves.toMatchObject({ maySend: false });
    await end(intent, third);
    await expect(begin(intent)).resolves.toMatchObject({ maySend: false });
    await end(intent, second);
    await expect(begin(intent)).resolves.toMatchObject({ maySend: true });
  });

  it('knows that the provider has said to have the payout', async () => {
    const intent = await debited();
    await begin(intent);
    await bed.payoutJournal.noteTaken(intent.intentId);
    await bed.payoutJournal.noteTaken(intent.intentId);
    await expect(begin(intent)).resolves.toMatchObject({ isTaken: true, maySend: false });
  });

  it('is refused when nothing was debited', async () => {
    const intent = await anIntent(bed, partner, { status: 'authorized' });
    await expect(begin(intent)).resolves.toMatchObject({ kind: 'refused' });
  });

  it.each(['created', 'captured', 'failed', 'cancelled'] as const)(
    'is refused to an intent that is %s',
    async (status) => {
      const intent = await anIntent(bed, partner, { status });
      await expect(begin(intent)).resolves.toMatchObject({ kind: 'refused' });
    },
  );
});

// Postgres may have been put back, and what was paid may be `created` again (decision 127).
it.each([
  ['cancel', 'cancelled', 'partner'],
  ['expire', 'expired', 'system'],
] as const)(
  'a %s while the watch does not tick waits for the word of the provider',
  async (event, status, actor) => {
    const { intentId, expiresAt } = await anIntent(bed, partner);
    if (event === 'expire') await bed.setNow(expiresAt);
    await tick(secondsAfter(NOON, -45));
    const end = { intentId, from: 'created', event, actor } as const;
    await expect(bed.intents.transition(end)).resolves.toMatchObject({ outcome: 'unasked' });
    const known = { ...end, isKnownUnpaid: true };
    await expect(bed.intents.transition(known)).resolves.toMatchObject({ status });
    await tick(secondsAfter(NOON, 1_000_000_000));
  },
);

describe('a cancel of an authorized intent', () => {
  const cancel = ({ intentId }: PaymentIntent) =>
    move(bed, intentId, 'cancel', { from: 'authorized', actor: 'partner' });

  it('is refused by the row once a payout attempt was recorded', async () => {
    const intent = await debited();
    await begin(intent);
    await expect(cancel(intent)).resolves.toMatchObject({ outcome: 'other', status: 'authorized' });
  });

  it('that came first leaves no payout to be attempted', async () => {
    const intent = await debited();
    await expect(cancel(intent)).resolves.toMatchObject({ outcome: 'did' });
    await expect(begin(intent)).resolves.toMatchObject({ kind: 'refused' });
  });

  // Races, with the order of events forced: the other statement holds the row, and the transition waits for it.
  it('that waited for a payout attempt to be recorded is refused all the same', async () => {
    const intent = await debited();
    const { result, report } = await whileHeld(
      (connection) => createPayoutJournal(connection).beginAttempt(intent.intentId, anAttemptId()),
      () => cancel(intent),
    );
    expect(result).toMatchObject({ kind: 'first' });
    expect(report).toMatchObject({ outcome: 'other', status: 'authorized' });
  });

  it.each(['cancel', 'fail'] as const)(
    'or its %s that waited for a debit to land gives that debit back',
    async (event) => {
      const intent = await anIntent(bed, partner, { status: 'authorized' });
      const held = await balanceOf(bed, 'held');
      const { result } = await whileHeld(
        (connection) =>
          createFundsAccount(within(connection)).debit(intent.intentId, intent.amountUsdCents),
        () => move(bed, intent.intentId, event, { from: 'authorized' }),
      );
      expect(result).toBe('debited');
      expect(await balanceOf(bed, 'held')).toBe(held);
    },
  );
});

/** Runs the first inside a transaction that commits only once the second is seen waiting for a lock. */
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
