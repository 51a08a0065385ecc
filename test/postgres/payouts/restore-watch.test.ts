// The tick count in Postgres, which is compared with Temporal's (decision 127).
import { restoredReason, whichWentBack, type WatchState } from '../../../src/domain/restore';
import { times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { withDatabase } from '../../support/brackets';
import { allowPayouts, listPayoutStops } from '../../../src/postgres/payouts/stops';
import { restoreWatchOn } from '../../support/payments/restore-watch';

const bed = withDatabase({ isPerTest: true });

const tick = (known: number) => bed.restoreWatch.tick({ ticks: known, atMs: null });
const count = async (ticks: number) => {
  for (let known = 0; known < ticks; known += 1) await tick(known);
};

it('the watch counts a tick, and returns the time of the previous tick', async () => {
  await tick(0);
  await bed.setNow(secondsAfter(NOON, 30));
  await expect(tick(1)).resolves.toMatchObject({ ticks: 2, lastAtMs: NOON.getTime() });
});

it('the watch counts once for a tick that is repeated because its answer was lost', async () => {
  await count(3);
  const repeated = await times(5, () => tick(3));
  expect(repeated.map(({ ticks }) => ticks)).toEqual([4, 4, 4, 4, 4]);
  await expect(tick(4)).resolves.toMatchObject({ ticks: 5 });
});

it.each([
  [0, 3],
  [1, 3],
  [4, 3],
  [9, 3],
])('given %d, the watch does not change a count of %d', async (known, counted) => {
  await count(counted);
  await expect(tick(known)).resolves.toMatchObject({ ticks: counted });
  await expect(tick(counted)).resolves.toMatchObject({ ticks: counted + 1 });
});

it('the watch stores a new random mark with each tick, but not with a repeat', async () => {
  const marks = [await tick(0), await tick(1), await tick(1), await tick(2)].map(
    ({ mark }) => mark,
  );
  expect(new Set(marks).size).toBe(3);
  expect(marks[1]).toBe(marks[2]);
  const known = { ticks: 2, atMs: null, mark: marks[1] ?? '' };
  await expect(bed.restoreWatch.tick(known)).resolves.toMatchObject({ isMarkGone: false });
  await expect(bed.restoreWatch.tick(known)).resolves.toMatchObject({ isMarkGone: false });
});

it.each([
  ['the next tick', 2],
  ['a repeat of it', 3],
])('the watch reports at %s that Postgres lacks the mark of an equal count', async (_when, now) => {
  await count(2);
  const mark = 'of a tick that a second restore has lost';
  await count(now);
  await expect(bed.restoreWatch.tick({ ticks: 2, atMs: null, mark })).resolves.toMatchObject({
    ticks: 3,
    isMarkGone: true,
  });
});

it('the watch stores its timeline, and when a tick first found another one', async () => {
  const timelineNow = async () => {
    const text = 'select timeline, timeline_changed_at as "changedAt" from restore_watch';
    return (await bed.database.query({ text })).rows;
  };
  await tick(0);
  await expect(timelineNow()).resolves.toEqual([{ timeline: '00000001', changedAt: null }]);
  await bed.database.query({ text: `update restore_watch set timeline = '0000000A'` });
  await tick(1);
  await bed.setNow(secondsAfter(NOON, 30));
  await tick(2);
  await expect(timelineNow()).resolves.toEqual([{ timeline: '00000001', changedAt: NOON }]);
});

const at = (ticks: number): WatchState => ({ ticks, atMs: NOON.getTime() });
const answer = (ticks: number, lastAtMs = 0) => ({ ticks, lastAtMs, mark: '', isMarkGone: false });

it.each([
  [at(7), 8, null],
  [at(7), 7, 'postgres'],
  [at(7), 0, 'postgres'],
  [at(7), 9, 'temporal'],
  [{ ...at(7), highest: 20 }, 15, 'postgres'],
  [{ ...at(7), highest: 20 }, 21, 'temporal'],
  [{ ticks: 0, atMs: null }, 1, null],
  [{ ticks: 0, atMs: null }, 2, 'temporal'],
])('if a workflow has %j and Postgres has %d, %s went back', (known, ticks, side) => {
  expect(whichWentBack(known, answer(ticks))).toBe(side);
});

it('if the mark is gone, Postgres went back although the counts agree', () => {
  expect(whichWentBack(at(7), { ...answer(8), isMarkGone: true })).toBe('postgres');
});

it('the reason names which one went back, and the last time of each', () => {
  const seen = answer(3, NOON.getTime() - 3_600_000);
  expect([
    restoredReason('postgres', at(7), seen),
    restoredReason('temporal', at(1), answer(9, NOON.getTime() + 60_000)),
    restoredReason('temporal', { ticks: 0, atMs: null }, seen),
  ]).toEqual([
    'Postgres went back to about 2026-03-02T11:00:00Z; Temporal remembers until 2026-03-02T12:00:00Z.',
    'Temporal went back to about 2026-03-02T12:00:00Z; Postgres remembers until 2026-03-02T12:01:00Z.',
    'Temporal was lost, or the run restore-watch was ended; Postgres remembers until 2026-03-02T11:00:00Z.',
  ]);
});

// The stop of payouts by the age of the last comparison of Postgres with Temporal.
describe('a stop by age', () => {
  const MAX_AGE_SECONDS = 900;

  const bed = withDatabase({ isPerTest: true });

  const tick = (ticks: number, maxAgeSeconds: number | null = MAX_AGE_SECONDS) =>
    restoreWatchOn(bed.database, maxAgeSeconds).tick({ ticks, atMs: null });
  const later = (seconds: number) => bed.setNow(secondsAfter(NOON, seconds));
  const inForce = async () =>
    (await listPayoutStops(bed.database)).filter(({ ended_at: endedAt }) => endedAt === null);

  it('is made by the first tick after a longer gap, and says what lifts it', async () => {
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

  it('is made once, however often the tick is repeated', async () => {
    await tick(0);
    await later(MAX_AGE_SECONDS + 1);
    await times(5, () => tick(1));
    await tick(0);
    await expect(inForce()).resolves.toHaveLength(1);
  });

  it.each([
    ['after the longest allowed gap', 1, MAX_AGE_SECONDS, MAX_AGE_SECONDS],
    ['before the first tick', 0, 10 * MAX_AGE_SECONDS, MAX_AGE_SECONDS],
    ['in a sandbox', 1, 10 * MAX_AGE_SECONDS, null],
  ])('is not made %s', async (_when, ticksBefore, seconds, maxAgeSeconds) => {
    if (ticksBefore > 0) await tick(0, maxAgeSeconds);
    await later(seconds);
    await tick(ticksBefore, maxAgeSeconds);
    await expect(inForce()).resolves.toEqual([]);
  });

  it('is not made again for the same gap after it was lifted and ticks continue', async () => {
    await tick(0);
    await later(MAX_AGE_SECONDS + 1);
    await tick(1);
    const bob = { actor: 'bob', reason: 'reconciled', isAfterRestore: true };
    await expect(allowPayouts(bed.database, bob)).resolves.toHaveLength(1);
    await later(MAX_AGE_SECONDS + 31);
    await tick(2);
    await expect(inForce()).resolves.toEqual([]);
  });

  it('is not made if the watch has made another stop since the last tick', async () => {
    await tick(0);
    const restored = { actor: 'system', reason: 'Postgres went back', kind: 'restore' } as const;
    await later(1);
    await bed.payoutStops.stop(restored);
    await later(MAX_AGE_SECONDS + 1);
    await tick(1);
    await expect(inForce()).resolves.toMatchObject([{ kind: 'restore' }]);
  });
});
