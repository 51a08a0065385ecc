// Turns a provider's answer about a payout into a decision, and writes at once what it proves: the
// capture, or the answer by which the workflow may end the payment (decision 145).
import type { Corridor } from '../src/corridors/names';
import { stepKey, type IntentId } from '../src/domain/ids';
import type { IntentCurrentState } from '../src/domain/intents/transition';
import {
  PAYOUT_CAPTURED_WITHIN_SECONDS,
  PAYOUT_DENIED_AGAIN_AFTER_MS,
} from '../src/domain/payouts/limits';
import { formatLocal, type LocalAmount, type UsdCents } from '../src/domain/money';
import type { FailureCode } from '../src/domain/payouts/permissions';
import type {
  PayoutFacts,
  PayoutOrder,
  PayoutOutcome,
  PayoutQuestion,
} from '../src/ports/payout-provider';
import type {
  OrderTerms,
  PayoutDetails,
  PayoutSending,
  RecordedAnswer,
} from '../src/ports/payouts';
import { findInAccounts, type Accounts, type AccountsAnswer } from './accounts';
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

/** A payout, and what its first request has fixed. */
export interface OrderedPayout extends PayoutSubject {
  readonly order: OrderTerms;
}

/** The query to the provider, by the key under which the payout was or will be sent. */
export function query(payout: OrderedPayout, accounts: Accounts): Promise<AccountsAnswer> {
  return findInAccounts(questionOf(payout), payout.order, accounts);
}

function questionOf({ intentId, amountUsdCents, corridor, order }: OrderedPayout): PayoutQuestion {
  const { local, reference } = order;
  return { key: stepKey(intentId, 'payout'), amountUsdCents, corridor, local, reference };
}

type QueryDependencies = Accounts & Pick<PaymentDependencies, 'pause'>;

/** The query before a debit is released. A denial counts only if it is repeated. */
export async function queryTwice(
  payout: OrderedPayout,
  dependencies: QueryDependencies,
): Promise<AccountsAnswer> {
  const first = await query(payout, dependencies);
  return first.answer.outcome === 'not_found' ? denyAgain(payout, dependencies) : first;
}

/**
 * The query after a denial. **Danger: lost money.** A provider that was paused may deny a key
 * although the order waits in one of its connections, and execute it then. By its second answer it
 * has read what arrived before its first (decision 148).
 */
export async function denyAgain(
  payout: OrderedPayout,
  dependencies: QueryDependencies,
): Promise<AccountsAnswer> {
  await dependencies.pause(PAYOUT_DENIED_AGAIN_AFTER_MS);
  return query(payout, dependencies);
}

/** The scanned code goes from row to provider only: histories and failures never hold it. */
export function orderOf(
  subject: PayoutSubject,
  { qrPayload, payer, order, token }: PayoutSending,
  { hashPayer }: Pick<PaymentDependencies, 'hashPayer'>,
): PayoutOrder {
  const question = questionOf({ ...subject, order });
  return { ...question, qrPayload, token, payer: hashPayer(payer) };
}

/**
 * `captured` is the state of the row after the activity's capture; without it the workflow
 * captures. `declined`: the debit may be released. `amount_mismatch`: the provider reports another
 * amount than was ordered, `reported`, as text. `returned`: the money came back.
 */
export type Decision =
  | { readonly outcome: 'paid'; readonly captured?: IntentCurrentState }
  | { readonly outcome: 'declined' }
  | { readonly outcome: 'returned' }
  | { readonly outcome: 'amount_mismatch'; readonly reported: string; readonly ordered: string };

/** A provider's answer, and whether it proves that nothing was and will be paid. */
export interface Answered {
  readonly answer: PayoutOutcome;
  readonly isUnpaid: boolean;
  /** What the payee must get; null where the order is in cents. */
  readonly local: LocalAmount | null;
  /** Whether the provider repeats it. */
  readonly confirmsLocal: boolean;
  /** Why a check of ours forbids the first request. */
  readonly unsentAs?: FailureCode;
  /** What the answer is to, if not to a query. */
  readonly answerTo?: 'order' | 'inquiry';
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
  const isUnsent = seen.unsentAs !== undefined;
  const recorded = { ...details, isDeclined, isUnsent, answer: recordedAs(decision, seen) };
  await payoutJournal.recordAnswer(payout.intentId, number, recorded);
  return decision.outcome === 'open' ? undefined : decision;
}

/** Answers that are recorded, and decide nothing. */
const OPEN: readonly string[] = ['pending', 'duplicate', 'declined'];

function decisionOf(
  answered: Answered,
  payout: PayoutSubject,
): Decision | { readonly outcome: 'open' } | undefined {
  const { answer, isUnpaid } = answered;
  if (isUnpaid) return { outcome: 'declined' };
  if (answer.outcome === 'returned') return { outcome: 'returned' };
  if (answer.outcome !== 'paid')
    return OPEN.includes(answer.outcome) ? { outcome: 'open' } : undefined;
  const difference = differenceOf(answer.facts, payout, answered.local);
  if (difference !== undefined) return { outcome: 'amount_mismatch', ...difference };
  return { outcome: isAmountKnown(answer.facts, answered) ? 'paid' : 'open' };
}

export interface Difference {
  readonly reported: string;
  readonly ordered: string;
}

/** How what was paid differs from what was ordered, if it does: in cents, or at the payee. */
export function differenceOf(
  { orderedUsdCents, local }: PayoutFacts,
  { amountUsdCents }: Pick<PayoutSubject, 'amountUsdCents'>,
  ordered: LocalAmount | null,
): Difference | undefined {
  if (orderedUsdCents !== null && orderedUsdCents !== amountUsdCents)
    return { reported: `${String(orderedUsdCents)} cents`, ordered: String(amountUsdCents) };
  if (local === null || ordered === null) return undefined;
  const isSame = local.currency === ordered.currency && local.minor === ordered.minor;
  return isSame ? undefined : { reported: formatLocal(local), ordered: formatLocal(ordered) };
}

/**
 * A provider that repeats neither cents nor the payee's amount is believed where the order had the
 * payee's amount.
 */
function isAmountKnown(
  { orderedUsdCents, local }: PayoutFacts,
  { local: ordered, confirmsLocal }: Answered,
): boolean {
  if (ordered === null) return orderedUsdCents !== null;
  return local !== null || !confirmsLocal;
}

function recordedAs({ outcome }: { readonly outcome: Decision['outcome'] | 'open' }, seen: Seen) {
  // Paid in an amount that nobody says: it has the payout, and that is no proof.
  const isOpen = outcome === 'open';
  if (isOpen && seen.answer.outcome === 'paid') return 'pending';
  if (isOpen) return seen.answer.outcome as RecordedAnswer['answer'];
  return outcome === 'declined' ? 'unpaid' : outcome;
}

function detailsOf({ answer, refusedAs, unsentAs }: Seen): PayoutDetails {
  if ('facts' in answer) return { ...answer.facts, code: null };
  const reference = 'reference' in answer ? answer.reference : null;
  const code = 'code' in answer ? answer.code : (unsentAs ?? refusedAs);
  return { reference, code, local: null, cost: null, bankReference: null };
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
