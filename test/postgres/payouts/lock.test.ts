// The payout lock (architecture, section 3, "Settlement"): for a minute nothing is sent, while an
// operator's decision is verified. A payout that may still be on its way is not locked.
import { resolvedReason } from '../../../src/domain/intents/manual-resolution';
import { createPayoutJournal } from '../../../src/postgres/payouts/journal';
import { createPayoutLock } from '../../../src/postgres/payouts/lock';
import { recordResolution } from '../../../src/postgres/payouts/resolutions';
import type { IntentId } from '../../../src/domain/ids';
import { recorded } from '../../support/payments/answers';
import { aDebitedIntent, anIntent, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { untilBlocked } from '../../support/until-blocked';
import { withDatabase, withPartner } from '../../support/brackets';
import { allowPayouts, listPayoutStops } from '../../../src/postgres/payouts/stops';
import { beginNumbered, recordSent, recordSentAgain } from '../../support/payments/payouts';
import { beginAttempt } from '../../support/payments/payouts';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const lock = () => createPayoutLock(bed.database);
const after = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
const FRESH = { isAccepted: false };
const begin = (intentId: IntentId) => beginAttempt(bed, intentId);
const RESOLUTION = { outcome: 'declined', actor: 'ann', evidence: 'by letter' } as const;
const verified = async (intentId: IntentId, attempts: number) => {
  await recordResolution(bed.database, intentId, RESOLUTION);
  await lock().recordVerified(intentId, { resolution: RESOLUTION, attempts });
};
const failAsVerified = (intentId: IntentId) => {
  const fail = { intentId, from: 'authorized', event: 'fail', actor: 'ann' } as const;
  return bed.intents.transition({ ...fail, reason: resolvedReason('by letter') });
};
const failed = async (intentId: IntentId, attempts: number) => {
  await verified(intentId, attempts);
  return failAsVerified(intentId);
};

/** An authorized, debited intent whose payout was not begun. */
const debited = async () => (await aDebitedIntent(bed, partner)).intentId;

/** An authorized, debited intent whose payout was sent at noon. */
async function aSentPayout(): Promise<IntentId> {
  const intentId = await debited();
  await recordSent(bed, intentId);
  return intentId;
}

it('a payout is not locked while its last sending may be on its way', async () => {
  const intentId = await aSentPayout();
  await after(5.999);
  await expect(lock().lock(intentId)).resolves.toEqual({ outcome: 'too_soon', inMs: 1_000 });
  await after(2);
  await expect(lock().lock(intentId)).resolves.toEqual({ outcome: 'too_soon', inMs: 4_000 });
  await after(6);
  await expect(lock().lock(intentId)).resolves.toMatchObject({ attempts: 1, record: FRESH });
});

it('a locked payout begins no attempt for a minute', async () => {
  const intentId = await aSentPayout();
  await after(16);
  await lock().lock(intentId);
  await after(75);
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'locked' });
  await after(76);
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'begun' });
});

it('an attempt that began before the lock sends nothing', async () => {
  const intentId = await aSentPayout();
  await after(16);
  const number = await beginNumbered(bed, intentId);
  await expect(lock().lock(intentId)).resolves.toMatchObject({ attempts: number });
  await expect(recordSentAgain(bed, intentId, number)).resolves.toBeUndefined();
  await after(76);
  await expect(recordSentAgain(bed, intentId, number)).resolves.toMatchObject({ qrPayload: null });
});

it('an attempt begins at once after an unlock', async () => {
  const intentId = await aSentPayout();
  await after(16);
  await lock().lock(intentId);
  await lock().unlock(intentId, true);
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'begun' });
});

it('a sending and a lock at the same moment: one is first and prevents the other', async () => {
  for (const intentId of await times(10, aSentPayout)) {
    await after(16);
    const number = await beginNumbered(bed, intentId);
    const [sending, locking] = await Promise.all([
      recordSentAgain(bed, intentId, number),
      lock().lock(intentId),
    ]);
    expect(['sent too_soon', 'unsent locked']).toContain(
      `${sending === undefined ? 'unsent' : 'sent'} ${locking.outcome}`,
    );
    await bed.setNow(NOON);
  }
});

it('a payout resolved as declined does not fail if an attempt has begun since then', async () => {
  const intentId = await aSentPayout();
  await after(16);
  await expect(lock().lock(intentId)).resolves.toMatchObject({ attempts: 1 });
  // The lock's minute is over, and a worker that was frozen begins.
  await after(80);
  await begin(intentId);
  await expect(failed(intentId, 1)).resolves.toMatchObject({ status: 'authorized' });
  await expect(failed(intentId, 2)).resolves.toMatchObject({ status: 'failed' });
});

it('a payout resolved as declined does not fail if it was sent since then', async () => {
  const intentId = await aSentPayout();
  await after(16);
  const number = await beginNumbered(bed, intentId);
  await lock().lock(intentId);
  // The lock's minute is over, and a worker that was frozen after its query goes on.
  await after(80);
  await expect(recordSentAgain(bed, intentId, number)).resolves.toMatchObject({ qrPayload: null });
  await expect(failed(intentId, number)).resolves.toMatchObject({ status: 'authorized' });
});

describe('an acceptance by the provider', () => {
  it('is seen by a lock that waited for it', async () => {
    const intentId = await aSentPayout();
    await after(16);
    const { locking } = await bed.database.inTransaction(async (connection) => {
      await createPayoutJournal(connection).recordAnswer(intentId, 1, recorded('pending'));
      const waiting = lock().lock(intentId);
      await untilBlocked(connection);
      return { locking: waiting };
    });
    await expect(locking).resolves.toMatchObject({ record: { isAccepted: true } });
  });

  it('before the lock was verified too, so the payment fails', async () => {
    const intentId = await aSentPayout();
    await bed.payoutJournal.recordAnswer(intentId, 1, recorded('pending'));
    await after(16);
    await lock().lock(intentId);
    await expect(failed(intentId, 1)).resolves.toMatchObject({ status: 'failed' });
  });

  it.each(['mark', 'unlock'] as const)('after the lock prevents a failure: by %s', async (how) => {
    const intentId = await aSentPayout();
    await after(16);
    await lock().lock(intentId);
    await after(18);
    await (how === 'unlock'
      ? lock().unlock(intentId, true)
      : bed.payoutJournal.recordAnswer(intentId, 1, recorded('pending')));
    await expect(failed(intentId, 1)).resolves.toMatchObject({ status: 'authorized' });
  });
});

describe('a payout that was never begun', () => {
  it('needs no lock, and fails', async () => {
    const intentId = await debited();
    await expect(lock().lock(intentId)).resolves.toMatchObject({ attempts: 0, record: FRESH });
    await expect(failed(intentId, 0)).resolves.toMatchObject({ status: 'failed' });
  });

  it('does not fail if it has begun since it was verified', async () => {
    const intentId = await debited();
    await lock().lock(intentId);
    await begin(intentId);
    await expect(failed(intentId, 0)).resolves.toMatchObject({ status: 'authorized' });
  });

  it('and a failure at the moment of its first attempt: one is first', async () => {
    for (const intentId of await times(10, debited)) {
      await verified(intentId, 0);
      const [attempt, end] = await Promise.all([begin(intentId), failAsVerified(intentId)]);
      expect(['begun authorized', 'not_payable failed']).toContain(`${attempt.kind} ${end.status}`);
    }
  });
});

// The stop of all payouts (decision 127): no payout begins, and one that has begun is queried but
// not sent again.
describe('a stop of all payouts', () => {
  const bed = withDatabase({ isPerTest: true });
  const partner = withPartner(bed);

  const ANN = { actor: 'ann', reason: 'the provider pays twice', kind: 'operator' as const };
  const begin = (intentId: IntentId) => beginAttempt(bed, intentId);

  const debited = async () => (await aDebitedIntent(bed, partner)).intentId;
  const allow = (isAfterRestore: boolean) =>
    allowPayouts(bed.database, { actor: 'bob', reason: 'reconciled', isAfterRestore });

  it('prevents a payout from beginning, and the attempt writes nothing', async () => {
    const intentId = await debited();
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'stopped' });
    await expect(recordSent(bed, intentId)).resolves.toBeUndefined();
    expect((await bed.database.query({ text: 'select from payouts' })).rows).toEqual([]);
    await allow(false);
    await expect(begin(intentId)).resolves.toMatchObject({ record: { isQuiet: true } });
  });

  it('lets a payout that has begun be queried, but not sent', async () => {
    const intentId = await debited();
    await begin(intentId);
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'begun', number: 2 });
    await expect(recordSentAgain(bed, intentId, 2)).resolves.toBeUndefined();
    await allow(false);
    await expect(recordSentAgain(bed, intentId, 2)).resolves.toMatchObject({ qrPayload: null });
  });

  it('does not report a locked payout that has begun as not begun', async () => {
    const intentId = await debited();
    await begin(intentId);
    await bed.setNow(secondsAfter(NOON, 16));
    await createPayoutLock(bed.database).lock(intentId);
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'locked' });
  });

  it('is in force until it is lifted', async () => {
    const intentId = await debited();
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'stopped' });
    await allow(false);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'begun' });
  });

  it('makes delayed payments due every ten minutes, and half a minute after its end', async () => {
    const intentId = await debited();
    await bed.payoutStops.stop(ANN);
    const claimedAt = async (seconds: number) => {
      await bed.setNow(secondsAfter(NOON, seconds));
      const due = await bed.claims.claimDue(10);
      return due.map(({ payment, payableForMs }) => [payment.intentId, payableForMs]);
    };
    await expect(claimedAt(30)).resolves.toEqual([[intentId, null]]);
    await expect(claimedAt(629.999)).resolves.toEqual([]);
    await expect(claimedAt(630)).resolves.toEqual([[intentId, null]]);
    await bed.setNow(secondsAfter(NOON, 700));
    await allow(false);
    await expect(claimedAt(729.999)).resolves.toEqual([]);
    await expect(claimedAt(730)).resolves.toEqual([[intentId, 30_000]]);
  });

  it('does not hide that a payment allows no payout', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'captured' });
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'not_payable' });
  });

  it('exists once per actor and reason, and all are lifted together', async () => {
    const system = { actor: 'system', reason: 'Postgres went back', kind: 'restore' as const };
    await expect(bed.payoutStops.stop(ANN)).resolves.toBe(true);
    await expect(bed.payoutStops.stop(ANN)).resolves.toBe(false);
    await bed.setNow(secondsAfter(NOON, 60));
    await expect(bed.payoutStops.stop(system)).resolves.toBe(true);
    await expect(allow(false)).resolves.toEqual([]);
    const ended = await allow(true);
    expect(ended.map(({ actor }) => actor).toSorted()).toEqual(['ann', 'system']);
    await expect(allow(true)).resolves.toEqual([]);
    await bed.payoutStops.stop(ANN);
    await expect(listPayoutStops(bed.database)).resolves.toMatchObject([
      { actor: 'ann', kind: 'operator', ended_at: null },
      { actor: 'system', kind: 'restore', ended_by: 'bob', ended_reason: 'reconciled' },
      { actor: 'ann', kind: 'operator', ended_by: 'bob', ended_reason: 'reconciled' },
    ]);
  });

  it('for a restore is lifted only after a reconciliation, whoever made it', async () => {
    await bed.payoutStops.stop(ANN);
    await expect(bed.payoutStops.stop({ ...ANN, kind: 'restore' as const })).resolves.toBe(true);
    await expect(bed.payoutStops.stop(ANN)).resolves.toBe(false);
    await expect(allow(false)).resolves.toEqual([]);
    await expect(allow(true)).resolves.toMatchObject([
      { actor: 'ann', kind: 'restore', ended_by: 'bob' },
    ]);
  });

  it('by the age of the last comparison counts as one for a restore', async () => {
    const gap = { actor: 'system', reason: 'not compared for an hour', kind: 'watch_gap' } as const;
    await bed.payoutStops.stop({ ...gap, gapSince: NOON });
    await expect(allow(false)).resolves.toEqual([]);
    await expect(allow(true)).resolves.toMatchObject([{ kind: 'watch_gap', gap_since: NOON }]);
  });
});
