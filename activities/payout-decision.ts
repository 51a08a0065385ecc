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
import type { FailureCode } from '../src/domain/payouts/permissions';
import type {
  PayoutOrder,
  PayoutOutcome,
  PayoutQuestion,
  QueryAnswer,
} from '../src/ports/payout-provider';
import type { PayoutDetails, PayoutSending, RecordedAnswer } from '../src/ports/payouts';
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

type QueryDependencies = Pick<PaymentDependencies, 'providers' | 'pause'>;

/** The query before a debit is released. A denial counts only if it is repeated. */
export async function queryTwice(
  payout: PayoutSubject,
  dependencies: QueryDependencies,
): Promise<QueryAnswer> {
  const first = await dependencies.providers[payout.corridor].find(questionOf(payout));
  return first.outcome === 'not_found' ? denyAgain(payout, dependencies) : first;
}

/**
 * The query after a denial. **Danger: lost money.** A provider that was paused may deny a key
 * although the order waits in one of its connections, and execute it then. By its second answer it
 * has read what arrived before its first (decision 148).
 */
export async function denyAgain(
  payout: PayoutSubject,
  { providers, pause }: QueryDependencies,
): Promise<QueryAnswer> {
  await pause(PAYOUT_DENIED_AGAIN_AFTER_MS);
  return providers[payout.corridor].find(questionOf(payout));
}

/** The scanned code goes from row to provider only: histories and failures never hold it. */
export function orderOf(subject: PayoutSubject, { qrPayload }: PayoutSending): PayoutOrder {
  return { ...questionOf(subject), qrPayload };
}

/**
 * `captured` is the state of the row after the activity's capture; without it the workflow
 * captures. `declined`: the debit may be released. `amount_mismatch`: the provider reports another
 * amount than was ordered. `returned`: the money came back.
 */
export type Decision =
  | { readonly outcome: 'paid'; readonly captured?: IntentCurrentState }
  | { readonly outcome: 'declined' }
  | { readonly outcome: 'returned' }
  | { readonly outcome: 'amount_mismatch'; readonly reportedUsdCents: number };

/** A provider's answer, and whether it proves that nothing was and will be paid. */
export interface Answered {
  readonly answer: PayoutOutcome;
  readonly isUnpaid: boolean;
}

interface Seen extends Answered {
  /** Number of the attempt that got the answer. */
  readonly number: number;
  readonly mayCapture: boolean;
  /** Milliseconds since the attempt began. */
  readonly elapsedMs: number;
  /** Why earlier requests were refused. */
  readonly refusedAs: FailureCode | null;
}

type DecisionDependencies = Pick<PaymentDependencies, 'intents' | 'log' | 'payoutJournal'>;

/**
 * The answer is in our rows before this returns: without it the workflow ends no payment. Undefined
 * if the answer decides nothing. @throws if Postgres is away; the retry queries again
 */
export async function decide(
  seen: Seen,
  payout: PayoutOfRow,
  dependencies: DecisionDependencies,
): Promise<Decision | undefined> {
  const { payoutJournal } = dependencies;
  const { answer, number } = seen;
  if (answer.outcome === 'refused') await payoutJournal.recordRefusal(payout.intentId, answer.code);
  const decision = decisionOf(seen, payout);
  if (decision === undefined) return undefined;
  const details = detailsOf(seen);
  if (decision.outcome === 'paid' && mayCapture(seen)) {
    const captured = await capture(payout, details, dependencies);
    if (captured !== undefined) return { outcome: 'paid', captured };
  }
  const isDeclined = answer.outcome === 'declined';
  const recorded = { ...details, isDeclined, answer: recordedAs(decision, seen) };
  await payoutJournal.recordAnswer(payout.intentId, number, recorded);
  return decision.outcome === 'open' ? undefined : decision;
}

/** Answers that are recorded, and decide nothing. */
const OPEN: readonly string[] = ['pending', 'duplicate', 'declined'];

function decisionOf(
  { answer, isUnpaid }: Answered,
  { amountUsdCents }: PayoutSubject,
): Decision | { readonly outcome: 'open' } | undefined {
  if (isUnpaid) return { outcome: 'declined' };
  if (answer.outcome === 'returned') return { outcome: 'returned' };
  if (answer.outcome !== 'paid')
    return OPEN.includes(answer.outcome) ? { outcome: 'open' } : undefined;
  const { orderedUsdCents: reportedUsdCents } = answer.facts;
  // Nothing else says yet that it is the amount of the order.
  if (reportedUsdCents === null) return undefined;
  return reportedUsdCents === amountUsdCents
    ? { outcome: 'paid' }
    : { outcome: 'amount_mismatch', reportedUsdCents };
}

function recordedAs({ outcome }: { readonly outcome: Decision['outcome'] | 'open' }, seen: Seen) {
  if (outcome === 'open') return seen.answer.outcome as RecordedAnswer['answer'];
  return outcome === 'declined' ? 'unpaid' : outcome;
}

function detailsOf({ answer, refusedAs }: Seen): PayoutDetails {
  if ('facts' in answer) return { ...answer.facts, code: null };
  const reference = 'reference' in answer ? answer.reference : null;
  return { reference, local: null, code: 'code' in answer ? answer.code : refusedAs };
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
  details: PayoutDetails,
  { intents, log }: DecisionDependencies,
): Promise<IntentCurrentState | undefined> {
  const terms = { amountUsdCents, corridor, createdAtMs };
  const { status, eventId } = await intents.capturePaid(intentId, terms, details);
  if (status === 'captured') return { status, eventId };
  log.warn(
    { intent_id: intentId, status },
    'the provider has paid, but the row has another status or other terms',
  );
  return undefined;
}
