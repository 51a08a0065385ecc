// Turns a provider's answer about a payout into a decision, and writes what it proves at once: that
// the provider has accepted the payout, and the capture.
import type { Corridor } from '../src/domain/corridor';
import { stepKey, type IntentId } from '../src/domain/ids';
import type { IntentCurrentState } from '../src/domain/intents/transition';
import { PAYOUT_CAPTURED_WITHIN_SECONDS } from '../src/domain/limits';
import type { UsdCents } from '../src/domain/money';
import type { PayoutOutcome, PayoutQuestion } from '../src/ports/payouts/provider';
import type { PaymentDependencies } from './dependencies';

export interface PayoutSubject {
  readonly intentId: IntentId;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
}

export interface PayoutOfRow extends PayoutSubject {
  /** When the workflow's row was created, in milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** The query to the provider, by the key under which the payout was or will be sent. */
export function questionOf({ intentId, amountUsdCents, corridor }: PayoutSubject): PayoutQuestion {
  return { key: stepKey(intentId, 'payout'), amountUsdCents, corridor };
}

/**
 * `captured` is the state of the row after the activity's capture; without it the workflow
 * captures. `amount_mismatch`: the provider reports another amount than was ordered.
 */
export type Decision =
  | { readonly outcome: 'paid'; readonly captured?: IntentCurrentState }
  | { readonly outcome: 'declined' }
  | { readonly outcome: 'amount_mismatch'; readonly reportedUsdCents: number };

interface Seen {
  /** Whether the row says already that the provider has accepted the payout. */
  readonly isAccepted: boolean;
  readonly mayCapture: boolean;
  /** Milliseconds since the attempt began. */
  readonly elapsedMs: number;
}

type DecisionDependencies = Pick<PaymentDependencies, 'intents' | 'log' | 'payoutJournal'>;

/** Undefined if the answer decides nothing. */
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
    return { outcome: 'amount_mismatch', reportedUsdCents: answer.amountUsdCents };
  }
  return answer.outcome === 'declined'
    ? { outcome: 'declined' }
    : recordPaid(payout, seen, dependencies);
}

/** Writes the capture, or at least the acceptance: both are known even if this result is lost. */
async function recordPaid(
  payout: PayoutOfRow,
  { isAccepted, mayCapture, elapsedMs }: Seen,
  dependencies: DecisionDependencies,
): Promise<Decision> {
  // After that time another attempt may have begun.
  const isInTime = elapsedMs <= PAYOUT_CAPTURED_WITHIN_SECONDS * 1_000;
  const captured = mayCapture && isInTime ? await capture(payout, dependencies) : undefined;
  if (captured !== undefined) return { outcome: 'paid', captured };
  const { payoutJournal, log } = dependencies;
  const { intentId } = payout;
  if (!isAccepted) {
    await payoutJournal.markAccepted(intentId).catch((error: unknown) => {
      log.warn({ intent_id: intentId, err: error }, 'could not record that the provider has paid');
    });
  }
  return { outcome: 'paid' };
}

/**
 * Whether the provider has the payout and its outcome is open: later silence may not fail it then.
 */
function isAcceptedBy(answer: PayoutOutcome, { amountUsdCents }: PayoutSubject): boolean {
  const hasAmountMismatch = answer.outcome === 'paid' && answer.amountUsdCents !== amountUsdCents;
  return answer.outcome === 'pending' || hasAmountMismatch;
}

/**
 * Writes the capture in the activity (decision 125), by the compare and set that the workflow would
 * use. Returns undefined where it fails or the row has another status: then the workflow decides.
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
      'the provider has paid, but the row has another status or other terms',
    );
  } catch (error) {
    log.warn({ intent_id: intentId, err: error }, 'capture failed; the workflow captures');
  }
  return undefined;
}
