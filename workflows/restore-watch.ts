// Notices that Postgres or Temporal was put back to an earlier time (decision 127): one workflow counts, and has
// Postgres count with it.
import { CancellationScope, continueAsNew, setCurrentDetails, sleep } from '@temporalio/workflow';
import { after, restoredReason, whichWentBack, type WatchState } from '../src/domain/restore';
import { stopPayouts, tickRestoreWatch } from './steps';

const TICK_EVERY = '30 s';
/** Six events each: a run of them stays small, and a day makes six. */
const TICKS_PER_RUN = 480;

/** Never ends. As with a payment, a native cancel changes nothing. */
export async function restoreWatch(known: WatchState): Promise<never> {
  return CancellationScope.nonCancellable(async () => {
    let state = known;
    for (let ticks = 0; ticks < TICKS_PER_RUN; ticks += 1) {
      state = await tick(state);
      await sleep(TICK_EVERY);
    }
    return continueAsNew<typeof restoreWatch>(state);
  });
}

async function tick(known: WatchState): Promise<WatchState> {
  const seen = await tickRestoreWatch(known);
  const side = whichWentBack(known, seen);
  if (side !== null) {
    const reason = restoredReason(side, known, seen);
    setCurrentDetails(`**Payouts were stopped:** ${reason}`);
    await stopPayouts(reason, side);
  }
  return after(known, seen, Date.now());
}
