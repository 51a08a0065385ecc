// A live world with a payer in it, as most tests of it begin.
import { bundleWorkflowCode } from '@temporalio/worker';
import type { TestDatabase } from '../support/database';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { openPayer, type LivePayer } from './live-payer';
import { openLiveWorld, type LiveWorld } from './live-world';

export interface LiveScene {
  readonly world: LiveWorld;
  readonly payer: LivePayer;
  close(): Promise<void>;
}

interface SceneWish {
  /** A migrated database to stand on, instead of a new one. */
  readonly on?: TestDatabase;
  /** The partner's endpoint; nobody's unless told. */
  readonly webhookUrl?: string;
}

export async function openLiveScene({ on, webhookUrl }: SceneWish = {}): Promise<LiveScene> {
  quietTemporal();
  const world = await openLiveWorld(await bundleWorkflowCode(workflowsToTest), on);
  const payer = await openPayer(world, webhookUrl);
  return {
    world,
    payer,
    async close() {
      await payer.close();
      await world.close();
    },
  };
}
