// A time-skipping Temporal server, and a test bed whose clocks follow that server.
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { openTestBed, type BedOptions, type TestBed } from './builders';
import { followClock } from './clock';
import { quietTemporal } from './servers/quiet-temporal';

/** Sets the clocks of the bed to the time of the server plus the skew. */
export type SetClock = (skewMs?: number) => Promise<void>;

export interface SkippingTime {
  readonly environment: TestWorkflowEnvironment;
  readonly bed: TestBed;
  readonly setClock: SetClock;
}

/** Closes both after the work, even if it failed. */
export async function inSkippingTime(
  options: BedOptions,
  work: (time: SkippingTime) => Promise<void>,
): Promise<void> {
  quietTemporal();
  const path = process.env['TEST_TEMPORAL_TEST_SERVER'] ?? '';
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  const bed = await openTestBed(options);
  try {
    await followClock(bed.database);
    const setClock: SetClock = async (skewMs = 0) => {
      const at = new Date((await environment.currentTimeMs()) + skewMs);
      bed.clock.turnTo(at);
      await bed.database.query({ text: 'update test_clock set at = $1', values: [at] });
    };
    await setClock();
    await work({ environment, bed, setClock });
  } finally {
    await environment.teardown();
    await bed.close();
  }
}
