// Rechecks a manual resolution with the provider for a day, if the payment's own workflow cannot
// (architecture, section 3, "Settlement"). The activity writes the result; this workflow retries
// it.
import { ActivityFailure, CancellationScope, setCurrentDetails } from '@temporalio/workflow';
import { contradictionOf } from '../src/domain/intents/manual-resolution';
import type { ResolvedPayoutSubject } from '../activities/resolution';
import { NEEDS_ATTENTION } from './messages/messages';
import { writeSearchAttributes } from './messages/search-attributes';
import { recheckResolution } from './steps';

/** Returns the contradiction, or null. Temporal's own cancel has no effect, as with a payment. */
export async function payoutRecheck(payout: ResolvedPayoutSubject): Promise<string | null> {
  return CancellationScope.nonCancellable(async () => {
    setCurrentDetails(
      `Querying the provider for a day: the payout was resolved as ${payout.resolvedAs}.`,
    );
    return recheck(payout);
  });
}

/**
 * Shows a contradiction in the UI. Attention on the row is raised by the activity alone, with what
 * the provider answered.
 */
export async function recheck(payout: ResolvedPayoutSubject): Promise<string | null> {
  const finding = await recheckResolution(payout).catch(isOver);
  if (finding === null) return null;
  setCurrentDetails(`**Needs attention:** ${contradictionOf(payout.resolvedAs, finding)}`);
  writeSearchAttributes([{ key: NEEDS_ATTENTION, value: true }]);
  return finding;
}

/**
 * The retries took more than a day. A recheck that is still pending is started again by the
 * workflow repairer.
 */
function isOver(error: unknown): null {
  if (!(error instanceof ActivityFailure)) throw error;
  setCurrentDetails('The day is over.');
  return null;
}
