// Compares how a payment ended on somebody's word with what the provider says, where the payment's run does not (architecture,
// section 3, "Settlement"). The activity writes what it finds; this run only lets it ask again and again.
import {
  ActivityFailure,
  CancellationScope,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { contradictionOf } from '../src/domain/intents/manual-resolution';
import type { ResolvedPayoutSubject } from '../activities/resolution';
import { NEEDS_ATTENTION } from './messages/messages';
import { recheckResolution } from './steps';

/** Answers what contradicts, or null. As with a payment, a native cancel changes nothing. */
export async function payoutRecheck(payout: ResolvedPayoutSubject): Promise<string | null> {
  return CancellationScope.nonCancellable(async () => {
    setCurrentDetails(
      `Asking the provider: it was ${payout.resolvedAs}, if nothing speaks against it.`,
    );
    const finding = await recheckResolution(payout).catch(isOver);
    if (finding === null) return null;
    setCurrentDetails(`**Needs attention:** ${contradictionOf(payout.resolvedAs, finding)}`);
    upsertSearchAttributes([{ key: NEEDS_ATTENTION, value: true }]);
    return finding;
  });
}

/** The day is over, and nothing was owed any more that an answer could have ended. What is, the reconciler takes up again. */
function isOver(error: unknown): null {
  if (!(error instanceof ActivityFailure)) throw error;
  setCurrentDetails('The day is over.');
  return null;
}
