// The stop of payouts by the age of the last comparison of Postgres with Temporal (decision 127).
import { allowPayouts, listPayoutStops } from '../../src/postgres/payout-stops';
import { openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import { restoreWatchOn } from '../support/restore-watch';

const MAX_AGE_SECONDS = 900;

let bed: TestBed;
beforeEach(async () => {
  bed = await openTestBed();
});
afterEach(() => bed.close());

const tick = (ticks: number, maxAgeSeconds: number | null = MAX_AGE_SECONDS) =>
  restoreWatchOn(bed.database, maxAgeSeconds).tick({ ticks, atMs: null });
const later = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
const inForce = async () =>
  (await listPayoutStops(bed.database)).filter(({ ended_at: endedAt }) => endedAt === null);

it('is made by the first tick after a longer gap, and says since when and what lifts it', async () => {
  await tick(0);
  await later(MAX_AGE_SECONDS + 1);
  await expect(tick(1)).resolves.toMatchObject({ ticks: 2 });
  await expect(listPayoutStops(bed.database)).resolves.toMatchObject([
    {
      actor: 'system',
      kind: 'watch_gap',
      gap_since: NOON,
      reason:
        'Postgres and Temporal were not compared for more than 900 s after 2026-03-02T12:00:00Z: both may have been put back. Run "payctl reconcile --statement FILE --since 2026-03-02T11:54:59Z --until TIME", with a TIME more than 300 s after this stop: a clean one lifts it.',
    },
  ]);
});

it('is one, however often the tick is repeated and whoever wakes late', async () => {
  await tick(0);
  await later(MAX_AGE_SECONDS + 1);
  await times(5, () => tick(1));
  await tick(0);
  await expect(inForce()).resolves.toHaveLength(1);
});

it('is not made after a gap as long as is allowed', async () => {
  await tick(0);
  await later(MAX_AGE_SECONDS);
  await tick(1);
  await expect(inForce()).resolves.toEqual([]);
});

it('is not made before the very first tick, however long after the migration', async () => {
  await later(10 * MAX_AGE_SECONDS);
  await tick(0);
  await expect(inForce()).resolves.toEqual([]);
});

it('is not made in a sandbox', async () => {
  await tick(0, null);
  await later(10 * MAX_AGE_SECONDS);
  await tick(1, null);
  await expect(inForce()).resolves.toEqual([]);
});

it('is not made again for the same gap once it was allowed and ticks go on', async () => {
  await tick(0);
  await later(MAX_AGE_SECONDS + 1);
  await tick(1);
  const bob = { actor: 'bob', reason: 'reconciled', isAfterRestore: true };
  await expect(allowPayouts(bed.database, bob)).resolves.toHaveLength(1);
  await later(MAX_AGE_SECONDS + 31);
  await tick(2);
  await expect(inForce()).resolves.toEqual([]);
});

it('is not made where the watch has stopped payouts since the last tick for a better reason', async () => {
  await tick(0);
  const restored = { actor: 'system', reason: 'Postgres went back', kind: 'restore' } as const;
  await later(1);
  await bed.payoutStops.stop(restored);
  await later(MAX_AGE_SECONDS + 1);
  await tick(1);
  await expect(inForce()).resolves.toMatchObject([{ kind: 'restore' }]);
});
