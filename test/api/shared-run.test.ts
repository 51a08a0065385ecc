// Work shared by all who wait for it (decision 112): never a run that began before the call.
import { createSharedRun } from '../../api/auth/shared-run';

/** Comes back when the event loop's turn is over. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A run that ends when the test says so. */
function aRun() {
  const runs: { end: (value: string) => void; fail: (error: Error) => void }[] = [];
  const shared = createSharedRun(
    () =>
      new Promise<string>((resolve, reject) => {
        runs.push({ end: resolve, fail: reject });
      }),
  );
  return { runs, shared };
}

it('runs once for all callers of one turn of the event loop', async () => {
  const { runs, shared } = aRun();
  const answers = [shared(), shared()];
  await endOfTurn();
  expect(runs).toHaveLength(1);
  runs[0]?.end('first');
  await expect(Promise.all(answers)).resolves.toEqual(['first', 'first']);
});

it('gives callers who come during a run the next one, and all of them the same', async () => {
  const { runs, shared } = aRun();
  const first = shared();
  await endOfTurn();
  const later = [shared(), shared(), shared()];
  expect(runs).toHaveLength(1);
  runs[0]?.end('first');
  await expect(first).resolves.toBe('first');
  await Promise.resolve();
  expect(runs).toHaveLength(2);
  runs[1]?.end('second');
  await expect(Promise.all(later)).resolves.toEqual(['second', 'second', 'second']);
});

it('runs again for a caller after the last one', async () => {
  const { runs, shared } = aRun();
  const first = shared();
  await endOfTurn();
  runs[0]?.end('first');
  await first;
  const second = shared();
  await endOfTurn();
  runs[1]?.end('second');
  await expect(second).resolves.toBe('second');
});

it('tells a failure to those who waited for that run, and to nobody else', async () => {
  const { runs, shared } = aRun();
  const first = shared();
  await endOfTurn();
  const later = shared();
  runs[0]?.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await Promise.resolve();
  runs[1]?.end('there again');
  await expect(later).resolves.toBe('there again');
});
