// The ways in which Postgres can be away for a stated time, each with a live world of its own before it. The time is the
// fault itself: whoever drives a payment through it waits for what becomes of the payment, not for the time.
import type { WorkflowBundleOption } from '@temporalio/worker';
import { scheduleByTimer } from '../../src/sandbox/schedule';
import { startOwnPostgres } from '../support/own-postgres';
import type { CutProxy } from './cut-proxy';
import { createGate } from './gates';
import { openLiveWorld, type LiveWorld } from './live-world';

export interface Outage {
  readonly world: LiveWorld;
  /** Comes back when Postgres is away; what it comes back with is over when Postgres is there again. */
  goAwayFor(ms: number): Promise<{ readonly isBack: Promise<void> }>;
}

type Opening = (workflowBundle: WorkflowBundleOption) => Promise<Outage>;

export const OUTAGES: Readonly<Record<string, Opening>> = {
  'every connection is cut, and every new one at once': byProxy((proxy) => {
    proxy.cut();
  }),
  'no connection ends, nothing is answered, and what was sent meanwhile arrives late': byProxy(
    (proxy) => {
      proxy.mute();
    },
  ),
  'its process is killed, and a new one started on what it had committed': async (bundle) => {
    const postgres = await startOwnPostgres();
    const world = await openLiveWorld(bundle, { on: postgres.database });
    return { world, goAwayFor: (ms) => postgres.killFor(ms) };
  },
};

function byProxy(begin: (proxy: CutProxy) => void): Opening {
  return async (bundle) => {
    const world = await openLiveWorld(bundle);
    return {
      world,
      goAwayFor(ms) {
        const back = createGate();
        begin(world.proxy);
        scheduleByTimer(ms, () => {
          world.proxy.mend();
          back.open();
        });
        return Promise.resolve({ isBack: back.isOpen });
      },
    };
  };
}
