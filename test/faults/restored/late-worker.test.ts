// The worker program, started long after the last tick of the restore watch (decision 127).
import { until } from '../../../src/dev/until';
import { listPayoutStops } from '../../../src/postgres/payouts/stops';
import { recordEnvironment } from '../../../src/postgres/service-environment';
import { openTestBed, type TestBed } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { startProgram, type OwnProgram } from '../../support/programs/own-program';

const WAIT = { timeoutMs: 60_000 };

let bed: TestBed;
let worker: OwnProgram;
beforeEach(async () => {
  bed = await openTestBed();
  await bed.restoreWatch.tick({ ticks: 0, atMs: null });
  await bed.setNow(secondsAfter(NOON, 901));
});
afterEach(async () => {
  await worker.kill();
  await bed.close();
});

async function startIn(environment: string): Promise<void> {
  await recordEnvironment(bed.database, environment);
  worker = startProgram('worker', { SERVICE_ENV: environment, DATABASE_URL: bed.url });
}

it('in prod the worker stops payouts before it reaches Temporal', async () => {
  await startIn('prod');
  const line = 'payouts are stopped until the books are reconciled';
  // The worker logs the stop after its commit.
  await until(() => worker.log().includes(line), WAIT);
  expect(worker.log()).toContain(line);
  await expect(listPayoutStops(bed.database)).resolves.toMatchObject([{ kind: 'watch_gap' }]);
});

it('in the sandbox the worker stops nothing', async () => {
  await startIn('sandbox');
  await until(() => worker.log().includes('Temporal is not reachable'), WAIT);
  expect(worker.log()).toContain('Temporal is not reachable');
  await expect(listPayoutStops(bed.database)).resolves.toEqual([]);
});
