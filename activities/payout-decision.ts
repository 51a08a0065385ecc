// What the provider's answer decides, and what an activity writes at once: that the provider has the payout, and the capture.
import { PAYOUT_CAPTURED_WITHIN_SECONDS } from '../src/domain/limits';
import type { IntentCurrentState } from '../src/domain/intents/transition';
import type { PayoutOutcome } from '../src/ports/payouts/provider';
import type { PaymentDependencies } from './dependencies';
import type { PayoutOfRow, PayoutSubject } from './payout-subject';

/**
 * `captured` is where the row stands once the activity has written the capture; without it the workflow writes the capture.
 * `contrary`: the provider names another amount.
 */
export type Decision =
  | { readonly outcome: 'paid'; readonly captured?: IntentCurrentState }
  | { readonly outcome: 'declined' }
  | { readonly outcome: 'contrary'; readonly reportedUsdCents: number };

interface Seen {
  /** The row says already that the provider has the payout. */
  readonly isAccepted: boolean;
  readonly mayCapture: boolean;
  /** Since the attempt began. */
  readonly elapsedMs: number;
}

type DecisionDependencies = Pick<PaymentDependencies, 'intents' | 'log' | 'payoutJournal'>;

/** Undefined where the answer decides nothing. */
export async function decide(
  answer: PayoutOutcome,
  payout: PayoutOfRow,
  seen: Seen,
  dependencies: DecisionDependencies,
): Promise<Decision | undefined> {
  const { payoutJournal } = dependencies;
  if (!seen.isAccepted && isAcceptedBy(answer, payout))
    await payoutJournal.markAccepted(payout.intentId);
  if (answer.outcome !== 'paid' && answer.outcome !== 'declined') return undefined;
  if (answer.amountUsdCents !== payout.amountUsdCents) {
    return { outcome: 'contrary', reportedUsdCents: answer.amountUsdCents };
  }
  return answer.outcome === 'declined'
    ? { outcome: 'declined' }
    : recordPaid(payout, seen, dependencies);
}

/** The capture, or at least that the provider has the payout: known then also where no workflow gets this result. */
async function recordPaid(
  payout: PayoutOfRow,
  { isAccepted, mayCapture, elapsedMs }: Seen,
  dependencies: DecisionDependencies,
): Promise<Decision> {
  // Later another attempt may have begun.
  const isInTime = elapsedMs <= PAYOUT_CAPTURED_WITHIN_SECONDS * 1_000;
  const captured = mayCapture && isInTime ? await capture(payout, dependencies) : undefined;
  if (captured !== undefined) return { outcome: 'paid', captured };
  const { payoutJournal, log } = dependencies;
  const { intentId } = payout;
  if (!isAccepted) {
    await payoutJournal.markAccepted(intentId).catch((error: unknown) => {
      log.warn({ intent_id: intentId, err: error }, 'that the provider has paid was not recorded');
    });
  }
  return { outcome: 'paid' };
}

/** Whether the answer says that the provider has the payout, and does not end it: then its silence ends it no more. */
function isAcceptedBy(answer: PayoutOutcome, { amountUsdCents }: PayoutSubject): boolean {
  const hasAmountMismatch = answer.outcome === 'paid' && answer.amountUsdCents !== amountUsdCents;
  return answer.outcome === 'pending' || hasAmountMismatch;
}

/**
 * The capture goes with the payout (decision 125): the same compare and set that the workflow would make. When it may not or cannot
 * be written, or the row has another status, nothing is returned, and the workflow concludes.
 */
async function capture(
  { intentId, amountUsdCents, corridor, createdAtMs }: PayoutOfRow,
  { intents, log }: DecisionDependencies,
): Promise<IntentCurrentState | undefined> {
  const step = { intentId, from: 'authorized', event: 'capture', actor: 'system' } as const;
  const terms = { amountUsdCents, corridor, createdAtMs };
  try {
    const { status, eventId } = await intents.transition({ ...step, terms });
    if (status === 'captured') return { status, eventId };
    log.warn(
      { intent_id: intentId, status },
      'paid out, but the row has another status or other terms',
    );
  } catch (error) {
    log.warn({ intent_id: intentId, err: error }, 'paid out; the workflow writes the capture');
  }
  return undefined;
}
