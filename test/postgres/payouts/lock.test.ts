// Operations may close a payout for a minute (architecture, section 3, "Settlement"): nothing is sent while they have it
// judged, and nothing that may still be on its way is judged.
import { createPayoutLock } from '../../../src/postgres/payouts/lock';
import { createPayoutJournal } from '../../../src/postgres/payouts/journal';
import type { IntentId } from '../../../src/domain/ids';
import { aDebited, anIntent, move, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { untilBlocked } from '../../support/until-blocked';
import { withDatabase, withPartner } from '../../support/brackets';
import { allowPayouts, listPayoutStops } from '../../../src/postgres/payouts/stops';
import { beginAttempt, recordSent, recordSentAgain } from '../../support/payments/payouts';

const bed = withDatabase();
const partner = withPartner(bed);
beforeEach(() => bed.setNow(NOON));

const lock = () => createPayoutLock(bed.database);
const after = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
const begin = (intentId: IntentId) => beginAttempt(bed, intentId);
const failed = (intentId: IntentId, payoutAttempts: number) =>
  move(bed, intentId, 'fail', { payoutAttempts });

/** An authorized, debited intent whose payout was not begun. */
const debited = async () => (await aDebited(bed, partner)).intentId;

/** The same, its payout sent at noon. */
async function aSentPayout(): Promise<IntentId> {
  const intentId = await debited();
  await recordSent(bed, intentId);
  return intentId;
}

it('does not close while the last sending may be on its way', async () => {
  const intentId = await aSentPayout();
  await after(5.999);
  await expect(lock().lock(intentId)).resolves.toEqual({ outcome: 'too_soon', inMs: 1_000 });
  await after(2);
  await expect(lock().lock(intentId)).resolves.toEqual({ outcome: 'too_soon', inMs: 4_000 });
  await after(6);
  await expect(lock().lock(intentId)).resolves.toEqual({
    outcome: 'closed',
    attempts: 1,
    isAccepted: false,
  });
});

it('closed, it lets no attempt begin for a minute, and then again', async () => {
  const intentId = await aSentPayout();
  await after(16);
  await lock().lock(intentId);
  await after(75);
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'closed' });
  await after(76);
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'begun' });
});

it('closed, it lets an attempt that began before send nothing', async () => {
  const intentId = await aSentPayout();
  await after(16);
  const { number } = await begin(intentId);
  await expect(lock().lock(intentId)).resolves.toMatchObject({ attempts: number });
  await expect(recordSentAgain(bed, intentId, number)).resolves.toBeUndefined();
  await after(76);
  await expect(recordSentAgain(bed, intentId, number)).resolves.toEqual({ qrPayload: null });
});

it('opened, it lets attempts begin at once', async () => {
  const intentId = await aSentPayout();
  await after(16);
  await lock().lock(intentId);
  await lock().unlockAsAccepted(intentId);
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'begun' });
});

it('of a sending and a closing at the same moment, one is first and the other sees it', async () => {
  for (const intentId of await times(10, aSentPayout)) {
    await after(16);
    const { number } = await begin(intentId);
    const [sending, closing] = await Promise.all([
      recordSentAgain(bed, intentId, number),
      lock().lock(intentId),
    ]);
    expect(['sent too_soon', 'kept closed']).toContain(
      `${sending === undefined ? 'kept' : 'sent'} ${closing.outcome}`,
    );
    await bed.setNow(NOON);
  }
});

it('declared declined, it does not fail once an attempt has begun since it was judged', async () => {
  const intentId = await aSentPayout();
  await after(16);
  const judged = await lock().lock(intentId);
  const attempts = judged.outcome === 'locked' ? judged.attempts : 0;
  // The lock's minute is over, and a worker that was frozen begins.
  await after(80);
  await begin(intentId);
  await expect(failed(intentId, attempts)).resolves.toMatchObject({ status: 'authorized' });
  await expect(failed(intentId, attempts + 1)).resolves.toMatchObject({ status: 'failed' });
});

it('declared declined, it does not fail once it was sent since it was judged', async () => {
  const intentId = await aSentPayout();
  await after(16);
  const { number } = await begin(intentId);
  await lock().lock(intentId);
  // The lock's minute is over, and a worker that was frozen after its query goes on.
  await after(80);
  await expect(recordSentAgain(bed, intentId, number)).resolves.toEqual({ qrPayload: null });
  await expect(failed(intentId, number)).resolves.toMatchObject({ status: 'authorized' });
});

describe('that the provider has said to have it, while operations have it judged', () => {
  it('is seen by a closing that waited for it', async () => {
    const intentId = await aSentPayout();
    await after(16);
    const { closing } = await bed.database.inTransaction(async (connection) => {
      await createPayoutJournal(connection).markAccepted(intentId);
      const waiting = lock().lock(intentId);
      await untilBlocked(connection);
      return { closing: waiting };
    });
    await expect(closing).resolves.toMatchObject({ outcome: 'closed', isAccepted: true });
  });

  it('before that, is what was judged: it fails', async () => {
    const intentId = await aSentPayout();
    await bed.payoutJournal.markAccepted(intentId);
    await after(16);
    await lock().lock(intentId);
    await expect(failed(intentId, 1)).resolves.toMatchObject({ status: 'failed' });
  });

  it.each(['markAccepted', 'open'] as const)('after it, lets it not fail: %s', async (how) => {
    const intentId = await aSentPayout();
    await after(16);
    await lock().lock(intentId);
    await after(18);
    await (how === 'open'
      ? lock().unlockAsAccepted(intentId)
      : bed.payoutJournal.markAccepted(intentId));
    await expect(failed(intentId, 1)).resolves.toMatchObject({ status: 'authorized' });
  });
});

describe('a payout that was never begun', () => {
  it('has nothing to hold still, and fails', async () => {
    const intentId = await debited();
    const never = { outcome: 'closed', attempts: 0, isAccepted: false };
    await expect(lock().lock(intentId)).resolves.toEqual(never);
    await expect(failed(intentId, 0)).resolves.toMatchObject({ status: 'failed' });
  });

  it('does not fail once it has begun since it was judged', async () => {
    const intentId = await debited();
    await lock().lock(intentId);
    await begin(intentId);
    await expect(failed(intentId, 0)).resolves.toMatchObject({ status: 'authorized' });
  });

  it('of an attempt and that end at the same moment, one is first and the other sees it', async () => {
    for (const intentId of await times(10, debited)) {
      const [attempt, end] = await Promise.all([begin(intentId), failed(intentId, 0)]);
      expect(['begun authorized', 'refused failed']).toContain(`${attempt.kind} ${end.status}`);
    }
  });
});

// The stop of all payouts (decision 127): what was not begun is not begun, what was begun is asked about and sent no more.
describe('a stop of all payouts', () => {
  const bed = withDatabase({ isPerTest: true });
  const partner = withPartner(bed);

  const ANN = { actor: 'ann', reason: 'the provider pays twice', kind: 'operator' as const };
  const begin = (intentId: IntentId) => beginAttempt(bed, intentId);

  const debited = async () => (await aDebited(bed, partner)).intentId;
  const allow = (isAfterRestore: boolean) =>
    allowPayouts(bed.database, { actor: 'bob', reason: 'compared', isAfterRestore });

  it('keeps a payout that was not begun from being begun, and leaves nothing of the attempt', async () => {
    const intentId = await debited();
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'stopped' });
    await expect(recordSent(bed, intentId)).resolves.toBeUndefined();
    expect((await bed.database.query({ text: 'select from payouts' })).rows).toEqual([]);
    await allow(false);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'begun', isQuiet: true });
  });

  it('lets one that was begun be queried, and sent no more', async () => {
    const intentId = await debited();
    await begin(intentId);
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'begun', number: 2 });
    await expect(recordSentAgain(bed, intentId, 2)).resolves.toBeUndefined();
    await allow(false);
    await expect(recordSentAgain(bed, intentId, 2)).resolves.toEqual({ qrPayload: null });
  });

  it('does not say of one that operations have judged at this moment that it was not begun', async () => {
    const intentId = await debited();
    await begin(intentId);
    await bed.setNow(secondsAfter(NOON, 16));
    await createPayoutLock(bed.database).lock(intentId);
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'closed' });
  });

  it('is in force until it is allowed', async () => {
    const intentId = await debited();
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'stopped' });
    await allow(false);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'begun' });
  });

  it('has what it holds up looked at every ten minutes, and reminded half a minute after its end', async () => {
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

  it('refuses what may not be paid out at all, stopped or not', async () => {
    const { intentId } = await anIntent(bed, partner, { status: 'captured' });
    await bed.payoutStops.stop(ANN);
    await expect(begin(intentId)).resolves.toMatchObject({ kind: 'refused' });
  });

  it('is one for each who stops for a reason of their own, and all are ended together', async () => {
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
      { actor: 'system', kind: 'restore', ended_by: 'bob', ended_reason: 'compared' },
      { actor: 'ann', kind: 'operator', ended_by: 'bob', ended_reason: 'compared' },
    ]);
  });

  it('for a restore, is ended only by who has compared, whoever made it and however often', async () => {
    await bed.payoutStops.stop(ANN);
    await expect(bed.payoutStops.stop({ ...ANN, kind: 'restore' as const })).resolves.toBe(true);
    await expect(bed.payoutStops.stop(ANN)).resolves.toBe(false);
    await expect(allow(false)).resolves.toEqual([]);
    await expect(allow(true)).resolves.toMatchObject([
      { actor: 'ann', kind: 'restore', ended_by: 'bob' },
    ]);
  });

  it('by the age of the last comparison counts as one for a restore, and says since when', async () => {
    const gap = { actor: 'system', reason: 'not compared for an hour', kind: 'watch_gap' } as const;
    await bed.payoutStops.stop({ ...gap, gapSince: NOON });
    await expect(allow(false)).resolves.toEqual([]);
    await expect(allow(true)).resolves.toMatchObject([{ kind: 'watch_gap', gap_since: NOON }]);
  });
});
