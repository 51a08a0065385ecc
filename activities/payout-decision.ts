// Turns a provider's answer about a payout into a decision, and writes at once what it proves: the
// capture, or the answer by which the workflow may end the payment (decision 145).
import type { Corridor } from '../src/corridors/names';
import { stepKey, type IntentId } from '../src/domain/ids';
import type { IntentCurrentState } from '../src/domain/intents/transition';
import {
  PAYOUT_CAPTURED_WITHIN_SECONDS,
  PAYOUT_DENIED_AGAIN_AFTER_MS,
} from '../src/domain/payouts/limits';
import type { UsdCents } from '../src/domain/money';
import type {
  PayoutOrder,
  PayoutOutcome,
  PayoutQuestion,
  PayoutSending,
} from '../src/ports/payouts';
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
 * The query before a debit is released. **Danger: lost money.** A provider that was paused may deny
 * a key although the order waits in one of its connections, and execute it then. By its second
 * answer it has read what arrived before its first (decision 148).
 */
export async function queryTwice(
  payout: PayoutSubject,
  { providers, pause }: Pick<PaymentDependencies, 'providers' | 'pause'>,
): Promise<PayoutOutcome> {
  const query = () => providers[payout.corridor].find(questionOf(payout));
  const first = await query();
  if (first.outcome !== 'not_found') return first;
  await pause(PAYOUT_DENIED_AGAIN_AFTER_MS);
  return query();
}

/** The scanned code goes from row to provider only: histories and failures never hold it. */
export function orderOf(subject: PayoutSubject, { qrPayload }: PayoutSending): PayoutOrder {
  return { ...questionOf(subject), qrPayload };
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
  /** Number of the attempt that got the answer. */
  readonly number: number;
  readonly mayCapture: boolean;
  /** Milliseconds since the attempt began. */
  readonly elapsedMs: number;
}

type DecisionDependencies = Pick<PaymentDependencies, 'intents' | 'log' | 'payoutJournal'>;

/**
 * The answer is in our rows before this returns: without it the workflow ends no payment. Undefined
 * if the answer decides nothing. @throws if Postgres is away; the retry queries again
 */
export async function decide(
  answer: PayoutOutcome,
  payout: PayoutOfRow,
  seen: Seen,
  dependencies: DecisionDependencies,
): Promise<Decision | undefined> {
  const decision = decisionOf(answer, payout);
  if (decision === undefined) return undefined;
  if (decision.outcome === 'paid' && mayCapture(seen)) {
    const captured = await capture(payout, dependencies);
    if (captured !== undefined) return { ...decision, captured };
  }
  await dependencies.payoutJournal.recordAnswer(payout.intentId, seen.number, decision.outcome);
  return decision.outcome === 'pending' ? undefined : decision;
}

function decisionOf(
  answer: PayoutOutcome,
  { amountUsdCents }: PayoutSubject,
): Decision | { readonly outcome: 'pending' } | undefined {
  const { outcome } = answer;
  if (outcome === 'unknown' || outcome === 'not_found') return undefined;
  if (outcome === 'pending' || answer.amountUsdCents === amountUsdCents) return { outcome };
  return { outcome: 'amount_mismatch', reportedUsdCents: answer.amountUsdCents };
}

/** After that time another attempt may have begun. */
function mayCapture({ mayCapture, elapsedMs }: Seen): boolean {
  return mayCapture && elapsedMs <= PAYOUT_CAPTURED_WITHIN_SECONDS * 1_000;
}

/**
 * Writes the capture in the activity (decision 125), by the compare and set that the workflow would
 * use. Returns undefined where the row has another status: then the workflow decides.
 */
async function capture(
  { intentId, amountUsdCents, corridor, createdAtMs }: PayoutOfRow,
  { intents, log }: DecisionDependencies,
): Promise<IntentCurrentState | undefined> {
  const terms = { amountUsdCents, corridor, createdAtMs };
  const { status, eventId } = await intents.capturePaid(intentId, terms);
  if (status === 'captured') return { status, eventId };
  log.warn(
    { intent_id: intentId, status },
    'the provider has paid, but the row has another status or other terms',
  );
  return undefined;
}
