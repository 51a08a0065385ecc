// A live world with a payer in it, as most tests of it begin.
import { bundleWorkflowCode } from '@temporalio/worker';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { openPayer, type LivePayer } from './live-payer';
import { openLiveWorld, type LiveWorld } from './live-world';

export interface LiveScene {
  readonly world: LiveWorld;
  readonly payer: LivePayer;
  close(): Promise<void>;
}

export async function openLiveScene(): Promise<LiveScene> {
  quietTemporal();
  const world = await openLiveWorld(await bundleWorkflowCode(workflowsToTest));
  const payer = await openPayer(world);
  return {
    world,
    payer,
    async close() {
      await payer.close();
      await world.close();
    },
  };
}
