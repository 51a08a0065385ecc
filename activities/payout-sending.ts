// One attempt at a payout: it is recorded, the provider is queried, and the order is sent if the
// answer permits that (decision 105).
import {
  PAYOUT_ATTEMPT_TIMEOUT_MS,
  PAYOUT_SENDING_MAX_SECONDS,
  PAYOUT_SENT_WITHIN_MS,
} from '../src/domain/payouts/limits';
import {
  permissionsOf,
  type Abilities,
  type PayoutRecord,
} from '../src/domain/payouts/permissions';
import type { PartnerId } from '../src/domain/ids';
import type { Stopwatch } from '../src/ports/clock';
import type { PayoutOutcome, QueryAnswer, SendingLimits } from '../src/ports/payout-provider';
import type { BegunAttempt } from '../src/ports/payouts';
import type { PaymentDependencies } from './dependencies';
import { denyAgain, orderOf, questionOf, type Answered, type PayoutOfRow } from './payout-decision';

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
  'providers' | 'payoutJournal' | 'startStopwatch' | 'providerHealth' | 'pause'
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
  const provider = dependencies.providers[request.corridor];
  const record = recordOf(request, attempt);
  const isFirst = attempt.isFirst && !request.mayHaveBeenSent;
  const known = isFirst ? NOT_SENT : await provider.find(questionOf(request));
  const may = permissionsOf(known.outcome, record, provider.abilities);
  if (may.send) {
    const answer = await send(request, attempt, dependencies);
    return answer === undefined
      ? { answer: known, isUnpaid: false }
      : readAnswer(answer, record, provider.abilities);
  }
  const isDenied = may.release && known.outcome === 'not_found';
  if (!isDenied) return readAnswer(known, record, provider.abilities);
  const answer = await denyAgain(request, dependencies);
  return { answer, isUnpaid: answer.outcome === 'not_found' };
}

/** Whether a direct answer of the provider says that nothing was and will be paid. */
export function readAnswer(
  answer: PayoutOutcome,
  record: PayoutRecord,
  abilities: Abilities,
): Answered {
  const isUnpaid =
    answer.outcome === 'declined' && permissionsOf('declined', record, abilities).release;
  return { answer, isUnpaid };
}

/** Undefined if the row does not permit the request. */
async function send(
  request: PayoutRequest,
  { number }: BegunAttempt,
  { providers, payoutJournal, startStopwatch }: SendingDependencies,
): Promise<PayoutOutcome | undefined> {
  const elapsedMs = startStopwatch();
  const sending = await payoutJournal.recordSending(request.intentId, number, request);
  if (sending === undefined) return undefined;
  const limits = limitsOf(elapsedMs, PAYOUT_ATTEMPT_TIMEOUT_MS);
  return providers[request.corridor].pay(orderOf(request, sending), limits);
}

/** A worker that froze after its record must not send: others count that request as over. */
export function limitsOf(elapsedMs: Stopwatch, timeoutMs: number): SendingLimits {
  return { isInTime: () => elapsedMs() <= PAYOUT_SENT_WITHIN_MS, timeoutMs };
}

/** Where no request can have been made, this is what a query would be answered. */
const NOT_SENT: QueryAnswer = { outcome: 'not_found' };

/** A request that the workflow knows of, and restored rows do not, may still be on its way. */
function recordOf(
  { mayHaveBeenSent }: PayoutRequest,
  { record, sinceFirstMs }: BegunAttempt,
): PayoutRecord {
  if (!mayHaveBeenSent) return record;
  const isQuiet = record.isQuiet && sinceFirstMs >= PAYOUT_SENDING_MAX_SECONDS * 1_000;
  return { ...record, isQuiet, mayBeForgotten: true };
}
