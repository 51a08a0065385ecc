// Runners of payments to hold to their port's contract: over Temporal, and the simulator by which the API is tested.
import { bundleWorkflowCode } from '@temporalio/worker';
import type { PaymentRunner } from '../../src/ports/payment-runner';
import { connectTemporal } from '../../src/temporal/connection';
import { createPaymentRunner } from '../../src/temporal/payment-runner';
import { createStartQueue } from '../../src/temporal/start-queue';
import { openLiveWorld, SILENT } from '../faults/live-world';
import { createSimulatedRunner, type RunnerMode } from '../support/app';
import { openTestBed, type TestBed } from '../support/builders';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';

export interface RunnerUnderTest {
  readonly bed: TestBed;
  readonly runner: PaymentRunner;
  /** The same while orchestration cannot be reached. */
  readonly away: PaymentRunner;
  close(): Promise<void>;
}

/** Nobody listens there. */
const NOWHERE = { address: '127.0.0.1:1', namespace: 'default' };

export async function openTemporal(): Promise<RunnerUnderTest> {
  quietTemporal();
  const world = await openLiveWorld(await bundleWorkflowCode(workflowsToTest));
  const client = connectTemporal(NOWHERE);
  const { clock, sweep } = world.bed;
  const starts = createStartQueue({ client, sweep, clock, log: SILENT });
  return {
    bed: world.bed,
    runner: world.runner,
    away: createPaymentRunner({ client, starts, clock, log: SILENT }),
    async close() {
      await starts.drain();
      await client.connection.close();
      await world.close();
    },
  };
}

export async function openSimulator(): Promise<RunnerUnderTest> {
  const bed = await openTestBed();
  const simulator = (mode: RunnerMode) =>
    createSimulatedRunner(
      bed,
      { mode },
      { begun: [], payouts: [], refusals: [], keySetUses: [], lines: [] },
    );
  return {
    bed,
    runner: simulator('settle'),
    away: simulator('no_answer'),
    close: () => bed.close(),
  };
}
