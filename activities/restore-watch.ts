// What the watch over restores does in our own Postgres, as local activities of its workflow (decision 127).
import { WATCH_ACTOR, type Side, type Tick, type WatchState } from '../src/domain/restore';
import type { Log } from '../src/ports/log';
import type { PayoutStops } from '../src/ports/payout-stops';
import type { RestoreWatch } from '../src/ports/restore-watch';

export interface RestoreActivities {
  tickRestoreWatch(known: WatchState): Promise<Tick>;
  stopPayouts(reason: string, side: Side): Promise<void>;
}

export interface RestoreDependencies {
  readonly restoreWatch: RestoreWatch;
  readonly payoutStops: PayoutStops;
  readonly log: Log;
}

export function createRestoreActivities({
  restoreWatch,
  payoutStops,
  log,
}: RestoreDependencies): RestoreActivities {
  return {
    tickRestoreWatch: (known) => restoreWatch.tick(known),
    async stopPayouts(reason, side) {
      const kind = side === 'temporal' ? 'temporal_restore' : 'restore';
      await payoutStops.stop({ actor: WATCH_ACTOR, reason, kind });
      log.error({ reason }, 'payouts are stopped until operations allow them');
    },
  };
}
