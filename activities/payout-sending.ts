// One attempt at a payout: it is recorded, the provider is queried, and the order is sent if the
// answer permits that (decision 105).
import {
  PAYOUT_ATTEMPT_TIMEOUT_MS,
  PAYOUT_SENDING_MAX_SECONDS,
  PAYOUT_SENT_WITHIN_MS,
} from '../src/domain/payouts/limits';
import type { LocalAmount } from '../src/domain/money';
import { permissionsOf, type PayoutRecord } from '../src/domain/payouts/permissions';
import type { OrderCheck } from '../src/domain/payouts/terms';
import type { PartnerId } from '../src/domain/ids';
import type { Stopwatch } from '../src/ports/clock';
import type { PayoutOutcome, PayoutProvider, SendingLimits } from '../src/ports/payout-provider';
import type { BegunAttempt, NewTerms } from '../src/ports/payouts';
import type { AccountsAnswer } from './accounts';
import { checkOrder } from './payout-checks';
import type { PaymentDependencies } from './dependencies';
import { denyAgain, orderOf, query, type Answered, type PayoutOfRow } from './payout-decision';

export interface AtOnceRequest extends PayoutOfRow {
  readonly partnerId: PartnerId;
}

export interface PayoutRequest extends AtOnceRequest {
  /**
   * Once attention is raised the activity queries until the outcome is known, and captures nothing:
   * an operator may be resolving the payment at the same time, so the workflow writes its status.
   */
  readonly isAttentionRaised: boolean;
  /** It may have been sent a moment ago, even if the rows say no: they may have been restored. */
  readonly mayHaveBeenSent: boolean;
}

type SendingDependencies = Pick<
  PaymentDependencies,
  | ('providers' | 'formerProviders' | 'payoutJournal' | 'startStopwatch' | 'providerHealth')
  | ('pause' | 'costBounds' | 'paidAskedAfterSeconds' | 'hashPayer')
>;

/**
 * While the provider's breaker is open, a payout that has not begun waits here for a while: it has
 * a slot of its corridor, and costs neither Temporal nor Postgres anything.
 */
export async function beginAttempt(
  request: PayoutRequest,
  { payoutJournal, providerHealth, startStopwatch }: SendingDependencies,
) {
  const health = providerHealth[request.corridor];
  const begin = async (mayBegin: boolean) => {
    const elapsedMs = startStopwatch();
    const attempt = await payoutJournal.beginAttempt(request.intentId, request, mayBegin);
    return { attempt, elapsedMs };
  };
  const first = await begin(!health.isBreakerOpen());
  const isDelayed = first.attempt.kind === 'delayed';
  return isDelayed && (await health.untilLetThrough(first.elapsedMs)) ? begin(true) : first;
}

/**
 * A denial that forbids another request may end the payment. It releases the debit, so it must be
 * repeated.
 */
export async function queryOrSend(
  request: PayoutRequest,
  attempt: BegunAttempt,
  dependencies: SendingDependencies,
): Promise<Answered> {
  const current = dependencies.providers[request.corridor];
  const record = recordOf(request, attempt);
  const payout = { ...request, order: attempt.order };
  const isFirst = attempt.isFirst && !request.mayHaveBeenSent;
  // At the same time: an attempt has time for two calls one after the other.
  const [known, check] = await Promise.all([
    isFirst ? notSent(current) : query(payout, dependencies),
    checkOrder(request, { ...attempt, record }, current, dependencies),
  ]);
  const may = permissionsOf(known.answer.outcome, record, known.abilities);
  if (may.send && [null, current.account].includes(attempt.order.account)) {
    const asked = { known, check, attempt: { ...attempt, record }, mayRelease: may.release };
    const answered = await sendChecked(request, asked, dependencies);
    if (answered !== undefined) return answered;
  }
  const { local } = attempt.order;
  const isDenied = may.release && known.answer.outcome === 'not_found';
  if (!isDenied) return readAnswer(known, record, local);
  const again = await denyAgain(payout, dependencies);
  return { ...again, local, isUnpaid: again.answer.outcome === 'not_found' };
}

interface Asked {
  readonly known: AccountsAnswer;
  readonly check: OrderCheck;
  readonly attempt: BegunAttempt;
  readonly mayRelease: boolean;
}

/**
 * A failed check ends the payment only where no request can have been made: this is the first
 * attempt, or the provider denies the key too. Otherwise it forbids another one, and the answer to
 * the query decides: undefined.
 */
async function sendChecked(
  request: PayoutRequest,
  { known, check, attempt, mayRelease }: Asked,
  dependencies: SendingDependencies,
): Promise<Answered | undefined> {
  const { record, order } = attempt;
  const { local } = order;
  if (check.verdict === 'failed') {
    const isDenied = mayRelease && known.answer.outcome === 'not_found';
    const isUnsent = isDenied && record.requests === 0 && !record.mayBeForgotten;
    return isUnsent ? { ...known, local, isUnpaid: true, unsentAs: check.code } : undefined;
  }
  if (check.verdict === 'open') {
    const answer = { outcome: 'unknown', cause: check.cause } as const;
    return { ...known, answer, local, isUnpaid: false, answerTo: 'inquiry' };
  }
  const answer = await send(request, attempt, dependencies);
  if (answer === undefined) return { ...known, local, isUnpaid: false };
  const provider = dependencies.providers[request.corridor];
  return { ...readAnswer({ ...answerOf(provider), answer }, record, local), answerTo: 'order' };
}

/** Whether a direct answer of the provider says that nothing was and will be paid. */
export function readAnswer(
  { answer, abilities, confirmsLocal }: DirectAnswer,
  record: PayoutRecord,
  local: LocalAmount | null,
): Answered {
  const isUnpaid =
    answer.outcome === 'declined' && permissionsOf('declined', record, abilities).release;
  return { answer, isUnpaid, local, confirmsLocal };
}

interface DirectAnswer extends Omit<AccountsAnswer, 'answer'> {
  readonly answer: PayoutOutcome;
}

/** The members of an answer that its provider gives. */
export function answerOf({ abilities }: PayoutProvider) {
  return { abilities, confirmsLocal: abilities.confirmsLocal };
}

/** Undefined if the row does not permit the request. */
async function send(
  request: PayoutRequest,
  { number }: BegunAttempt,
  dependencies: SendingDependencies,
): Promise<PayoutOutcome | undefined> {
  const elapsedMs = dependencies.startStopwatch();
  const fixed = newTermsOf(request, dependencies);
  const { payoutJournal, providers } = dependencies;
  const sending = await payoutJournal.recordSending(request.intentId, number, request, fixed);
  if (sending === undefined) return undefined;
  const limits = limitsOf(elapsedMs, PAYOUT_ATTEMPT_TIMEOUT_MS);
  return providers[request.corridor].pay(orderOf(request, sending, dependencies), limits);
}

type TermsDependencies = Pick<
  PaymentDependencies,
  'providers' | 'costBounds' | 'paidAskedAfterSeconds'
>;

export function newTermsOf(
  { corridor, amountUsdCents }: PayoutOfRow,
  { providers, costBounds, paidAskedAfterSeconds }: TermsDependencies,
): NewTerms {
  const { account, abilities } = providers[corridor];
  const askAfterSeconds = abilities.askAfterPaidDays > 0 ? paidAskedAfterSeconds : null;
  const { maxUsdCents } = costBounds[corridor](amountUsdCents);
  return { account, maxCostUsdCents: maxUsdCents, askAfterSeconds };
}

/** A worker that froze after its record must not send: others count that request as over. */
export function limitsOf(elapsedMs: Stopwatch, timeoutMs: number): SendingLimits {
  return { isInTime: () => elapsedMs() <= PAYOUT_SENT_WITHIN_MS, timeoutMs };
}

/** Where no request can have been made, this is what a query would be answered. */
function notSent(provider: PayoutProvider): AccountsAnswer {
  return { ...answerOf(provider), answer: { outcome: 'not_found' } };
}

/** A request that the workflow knows of, and restored rows do not, may still be on its way. */
function recordOf(
  { mayHaveBeenSent }: PayoutRequest,
  { record, sinceFirstMs }: BegunAttempt,
): PayoutRecord {
  if (!mayHaveBeenSent) return record;
  const isQuiet = record.isQuiet && sinceFirstMs >= PAYOUT_SENDING_MAX_SECONDS * 1_000;
  return { ...record, isQuiet, mayBeForgotten: true };
}
