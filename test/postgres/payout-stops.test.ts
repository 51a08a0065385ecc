// The stop of all payouts (decision 127): what was not begun is not begun, what was begun is asked about and sent no more.
import type { IntentId } from '../../src/domain/ids';
import { createPayoutGate } from '../../src/postgres/payout-gate';
import { allowPayouts, listPayoutStops } from '../../src/postgres/payout-stops';
import { anIntent, openTestBed, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { aPartner, type TestPartner } from '../support/partner';

let bed: TestBed;
let partner: TestPartner;

beforeEach(async () => {
  bed = await openTestBed();
  partner = await aPartner(bed);
});
afterEach(() => bed.close());

const ANN = { actor: 'ann', reason: 'the provider pays twice', kind: 'operator' as const };
const begin = (intentId: IntentId) => bed.payoutJournal.beginAttempt(intentId);

async function debited(): Promise<IntentId> {
  const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
  await bed.funds.debit(intentId, amountUsdCents);
  return intentId;
}

it('keeps a payout that was not begun from being begun, and leaves nothing of the attempt', async () => {
  const intentId = await debited();
  await bed.payoutStops.stop(ANN);
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'stopped', maySend: false });
  await expect(
    bed.database.query({ text: 'select from payouts' }).then(({ rows }) => rows.length),
  ).resolves.toBe(0);
  await allowPayouts(bed.database, { actor: 'bob', reason: 'it does not', isAfterRestore: false });
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'first', maySend: true });
});

it('lets one that was begun be asked about, and sent no more', async () => {
  const intentId = await debited();
  await begin(intentId);
  await bed.payoutStops.stop(ANN);
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'repeat', maySend: false });
});

it('does not say of one that operations have judged at this moment that it was not begun', async () => {
  const intentId = await debited();
  await begin(intentId);
  await bed.setNow(secondsAfter(NOON, 16));
  await createPayoutGate(bed.database).close(intentId);
  await bed.payoutStops.stop(ANN);
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'closed' });
});

it('is in force until it is allowed', async () => {
  await expect(bed.payoutStops.areInForce()).resolves.toBe(false);
  await bed.payoutStops.stop(ANN);
  await expect(bed.payoutStops.areInForce()).resolves.toBe(true);
  await allowPayouts(bed.database, { ...ANN, isAfterRestore: false });
  await expect(bed.payoutStops.areInForce()).resolves.toBe(false);
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
  const bob = { actor: 'bob', reason: 'compared' };
  await expect(allowPayouts(bed.database, { ...bob, isAfterRestore: false })).resolves.toEqual([]);
  const ended = await allowPayouts(bed.database, { ...bob, isAfterRestore: true });
  expect(ended.map(({ actor }) => actor).toSorted()).toEqual(['ann', 'system']);
  await expect(allowPayouts(bed.database, { ...ANN, isAfterRestore: true })).resolves.toEqual([]);
  await bed.payoutStops.stop(ANN);
  await expect(listPayoutStops(bed.database)).resolves.toMatchObject([
    { actor: 'ann', kind: 'operator', ended_at: null },
    { actor: 'system', kind: 'restore', ended_by: 'bob', ended_reason: 'compared' },
    { actor: 'ann', kind: 'operator', ended_by: 'bob', ended_reason: 'compared' },
  ]);
});

it('for a restore, is ended only by who has compared, whoever made it and however often', async () => {
  const bob = { actor: 'bob', reason: 'all is well' };
  await bed.payoutStops.stop(ANN);
  await expect(bed.payoutStops.stop({ ...ANN, kind: 'restore' as const })).resolves.toBe(true);
  await expect(bed.payoutStops.stop(ANN)).resolves.toBe(false);
  await expect(allowPayouts(bed.database, { ...bob, isAfterRestore: false })).resolves.toEqual([]);
  await expect(allowPayouts(bed.database, { ...bob, isAfterRestore: true })).resolves.toMatchObject(
    [{ actor: 'ann', kind: 'restore', ended_by: 'bob' }],
  );
});

it('by the age of the last comparison counts as one for a restore, and says since when', async () => {
  const gap = { actor: 'system', reason: 'not compared for an hour', kind: 'watch_gap' } as const;
  const bob = { actor: 'bob', reason: 'all is well' };
  await bed.payoutStops.stop({ ...gap, gapSince: NOON });
  await expect(allowPayouts(bed.database, { ...bob, isAfterRestore: false })).resolves.toEqual([]);
  await expect(allowPayouts(bed.database, { ...bob, isAfterRestore: true })).resolves.toMatchObject(
    [{ kind: 'watch_gap', gap_since: NOON }],
  );
});
