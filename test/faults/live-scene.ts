// A live world with a payer in it, as most tests of it begin.
import { quietTemporal } from '../support/quiet-temporal';
import { openPayer, type LivePayer } from './live-payer';
import { openLiveWorld, type LiveWorld, type WorldWish } from './live-world';
import { bundledWorkflows } from '../support/workflow-bundle';

export interface LiveScene {
  readonly world: LiveWorld;
  readonly payer: LivePayer;
  close(): Promise<void>;
}

interface SceneWish extends WorldWish {
  /** The partner's endpoint; nobody's unless told. */
  readonly webhookUrl?: string;
}

export async function openLiveScene({ webhookUrl, ...wish }: SceneWish = {}): Promise<LiveScene> {
  quietTemporal();
  const world = await openLiveWorld(await bundledWorkflows(), wish);
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
