// Detects that Postgres or Temporal was restored to an earlier time (decision 127): the workflow
// and Postgres keep the same count, and a difference shows which one was restored.
import {
  CancellationScope,
  makeContinueAsNewFunc,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { RESTORE_WATCH_EVERY_SECONDS } from '../src/domain/limits';
import { after, restoredReason, whichWentBack, type WatchState } from '../src/domain/restore';
import { stopPayouts, tickRestoreWatch } from './steps';

/** A tick has six events. Continuing as new after this keeps the history small: six runs a day. */
const TICKS_PER_RUN = 480;

/** Never returns. Temporal's own cancel has no effect, as with a payment. */
export async function restoreWatch(known: WatchState): Promise<never> {
  return CancellationScope.nonCancellable(async () => {
    let state = known;
    for (let ticks = 0; ticks < TICKS_PER_RUN; ticks += 1) {
      state = await tick(state);
      await sleep(RESTORE_WATCH_EVERY_SECONDS * 1_000);
    }
    // With its memo, so that a key of payloads that is replaced is not needed for ever.
    const { memo } = workflowInfo();
    return makeContinueAsNewFunc<typeof restoreWatch>({ memo: memo ?? {} })(state);
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
