// The count that Postgres keeps beside Temporal's (decision 127).
import { restoredReason, whichWentBack, type WatchState } from '../../src/domain/restore';
import { openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';

let bed: TestBed;
beforeEach(async () => {
  bed = await openTestBed();
});
afterEach(() => bed.close());

const tick = (known: number) => bed.restoreWatch.tick({ ticks: known, atMs: null });
const count = async (ticks: number) => {
  for (let known = 0; known < ticks; known += 1) await tick(known);
};

it('counts with whoever knows it, and says when it last did', async () => {
  await tick(0);
  await bed.setNow(secondsAfter(NOON, 30));
  await expect(tick(1)).resolves.toMatchObject({ ticks: 2, lastAtMs: NOON.getTime() });
});

it('counts once for a tick that is repeated because its answer was lost', async () => {
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
])('told %d where it has counted %d, it changes nothing', async (known, counted) => {
  await count(counted);
  await expect(tick(known)).resolves.toMatchObject({ ticks: counted });
  await expect(tick(counted)).resolves.toMatchObject({ ticks: counted + 1 });
});

it('says where its log is, and takes a log that is further on for the same one', async () => {
  const known = { atMs: null, ...(await tick(0)) };
  expect(known.mark).toMatchObject({ timeline: 1, branchedAt: null });
  await expect(bed.restoreWatch.tick(known)).resolves.toMatchObject({
    isMarkGone: false,
  });
});

it('says that its mark is gone where the log is shorter than the one that is known', async () => {
  const { mark = null } = await tick(0);
  if (mark === null) throw new Error('the position of the log may not be read here');
  const ahead = { ticks: 1, atMs: null, mark: { ...mark, lsn: 'FFFF/0' } };
  await expect(bed.restoreWatch.tick(ahead)).resolves.toMatchObject({ ticks: 2, isMarkGone: true });
});

const at = (ticks: number): WatchState => ({ ticks, atMs: NOON.getTime() });

it.each([
  [at(7), 8, null],
  [at(7), 7, 'postgres'],
  [at(7), 0, 'postgres'],
  [at(7), 9, 'temporal'],
  [{ ...at(7), highest: 20 }, 15, 'postgres'],
  [{ ...at(7), highest: 20 }, 21, 'temporal'],
  [{ ticks: 0, atMs: null }, 1, null],
  [{ ticks: 0, atMs: null }, 2, 'temporal'],
])('of a run that knows %j and a Postgres that says %d, %s went back', (known, ticks, side) => {
  expect(whichWentBack(known, { ticks, lastAtMs: 0 })).toBe(side);
});

it('of a run whose mark is gone, Postgres went back although the counts agree', () => {
  const tick = { ticks: 8, lastAtMs: 0, isMarkGone: true };
  expect(whichWentBack(at(7), tick)).toBe('postgres');
});

it('says which it was, and what each remembers', () => {
  const seen = { ticks: 3, lastAtMs: NOON.getTime() - 3_600_000 };
  expect([
    restoredReason('postgres', at(7), seen),
    restoredReason('temporal', at(1), { ticks: 9, lastAtMs: NOON.getTime() + 60_000 }),
    restoredReason('temporal', { ticks: 0, atMs: null }, seen),
  ]).toEqual([
    'Postgres went back to about 2026-03-02T11:00:00Z; Temporal remembers until 2026-03-02T12:00:00Z.',
    'Temporal went back to about 2026-03-02T12:00:00Z; Postgres remembers until 2026-03-02T12:01:00Z.',
    'Temporal was lost, or the run restore-watch was ended; Postgres remembers until 2026-03-02T11:00:00Z.',
  ]);
});
